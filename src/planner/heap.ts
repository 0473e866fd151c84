/** A binary heap of nodes by key, smallest first. Nodes are numbered from 0; a node is in it at most once. */
export class NodeHeap {
  private readonly nodes: Int32Array
  private readonly place: Int32Array
  private size = 0

  constructor(
    nodeCount: number,
    private readonly key: Float64Array,
  ) {
    this.nodes = new Int32Array(nodeCount)
    this.place = new Int32Array(nodeCount).fill(-1)
  }

  get isEmpty(): boolean {
    return this.size === 0
  }

  has(node: number): boolean {
    return this.place[node]! >= 0
  }

  get top(): number {
    return this.nodes[0]!
  }

  /** Puts a node in, or moves it up after its key sank. */
  raise(node: number): void {
    let at = this.place[node]!
    if (at < 0) at = this.size++
    const { nodes, place, key } = this
    const value = key[node]!
    while (at > 0) {
      const parent = (at - 1) >> 1
      const other = nodes[parent]!
      if (key[other]! <= value) break
      nodes[at] = other
      place[other] = at
      at = parent
    }
    nodes[at] = node
    place[node] = at
  }

  pop(): number {
    const { nodes, place, key } = this
    const top = nodes[0]!
    place[top] = -1
    const last = nodes[--this.size]!
    if (this.size === 0) return top
    const value = key[last]!
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= this.size) break
      if (child + 1 < this.size && key[nodes[child + 1]!]! < key[nodes[child]!]!) child++
      if (key[nodes[child]!]! >= value) break
      nodes[at] = nodes[child]!
      place[nodes[at]!] = at
      at = child
    }
    nodes[at] = last
    place[last] = at
    return top
  }

  clear(): void {
    for (let i = 0; i < this.size; i++) this.place[this.nodes[i]!] = -1
    this.size = 0
  }
}
