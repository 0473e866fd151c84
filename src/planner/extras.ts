import type { Group } from './group'

/** What each member has by itself, less the extra partition that some get. By member. */
export interface Standing {
  /** 1 if it must give up some of what it owns. */
  readonly cutting: Uint8Array
  /** Its cells at this height above the waterline are the next to get one more. */
  readonly height: Int32Array
  readonly owned: Int32Array
}

/**
 * Who gets one more than its level less one: in each level as many as its partitions ask for, those to whom the next one
 * costs least; ties to who owned more, then to the smaller id. By member: 1 if it is one of them.
 */
export function grantExtras(group: Group, level: Int32Array, standing: Standing): Uint8Array {
  const topics = group.topics.length
  const extra = new Uint8Array(group.memberIds.length)
  const wanted = new Map<number, number>()
  for (let t = 0; t < topics; t++) {
    wanted.set(level[t]!, (wanted.get(level[t]!) ?? 0) + group.topicStart[t + 1]! - group.topicStart[t]!)
  }
  const members: number[] = []
  for (let m = 0; m < extra.length; m++) {
    const h = level[topics + m]!
    if (h === 0) continue
    members.push(m)
    wanted.set(h, wanted.get(h)! - h + 1)
  }
  for (const m of byCostOfNext(members, standing)) {
    const h = level[topics + m]!
    const left = wanted.get(h)!
    if (left === 0) continue
    extra[m] = 1
    wanted.set(h, left - 1)
  }
  return extra
}

function byCostOfNext(members: number[], { cutting, height, owned }: Standing): number[] {
  return members.sort((a, b) => cutting[b]! - cutting[a]! || height[a]! - height[b]! || owned[b]! - owned[a]! || a - b)
}
