/**
 * Lists of replica racks, numbered: each list is a path in a tree of racks, so that most are found by a few look-ups.
 * What is no rack (null, empty, no string) and what a list names again is skipped. List 0 is the empty one.
 */
export class RackLists {
  /** By list: its racks, each once. */
  readonly racks: (readonly string[])[] = [[]]
  private readonly longer: Map<string, number>[] = [new Map()]

  numberOf(replicas: unknown): number {
    let list = 0
    if (!Array.isArray(replicas)) return list
    for (let i = 0; i < replicas.length; i++) {
      const rack = replicas[i]
      if (typeof rack === 'string' && rack !== '') list = this.longer[list]!.get(rack) ?? this.add(list, rack)
    }
    return list
  }

  private add(list: number, rack: string): number {
    const racks = this.racks[list]!
    const next = racks.includes(rack) ? list : this.racks.push([...racks, rack]) - 1
    if (next !== list) this.longer.push(new Map())
    this.longer[list]!.set(rack, next)
    return next
  }
}
