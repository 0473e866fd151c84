/**
 * Looks at a plan from outside, the same way for every contender: is it valid, how balanced, how many partitions did
 * not stay with their owner, how are the topics spread. The generated claims are clean, so an owner is whoever claims.
 */
export function judge(group, answer) {
  const owners = group.topics.map(topic => new Int32Array(topic.partitions).fill(-1))
  const given = group.topics.map(topic => new Uint8Array(topic.partitions))
  const subscribed = new Set()
  group.members.forEach((member, m) => {
    for (const topic of member.topics) subscribed.add(topic)
    for (const [topic, partitions] of member.owned) for (const p of partitions) owners[topic][p] = m
  })
  const loads = []
  let assigned = 0
  let kept = 0
  let transferred = 0
  let spread = 0
  answer.forEach((lists, m) => {
    const topics = new Set(group.members[m].topics)
    let load = 0
    for (const [topic, partitions] of lists) {
      if (!topics.has(topic)) throw new Error(`member ${m} got topic ${topic}, which it does not subscribe`)
      for (const p of partitions) {
        if (given[topic][p] !== 0) throw new Error(`partition ${topic}-${p} does not exist or was given out twice`)
        given[topic][p] = 1
        const owner = owners[topic][p]
        if (owner === m) kept++
        else if (owner >= 0) transferred++
      }
      load += partitions.length
      spread += partitions.length ** 2
    }
    loads.push(load)
    assigned += load
  })
  const planned = group.topics.reduce((sum, topic, t) => sum + (subscribed.has(t) ? topic.partitions : 0), 0)
  if (assigned !== planned) throw new Error(`${assigned} of ${planned} partitions were given out`)
  return {
    partitions: assigned,
    moved: assigned - kept,
    transferred,
    min: loads.reduce((least, load) => Math.min(least, load), Number.POSITIVE_INFINITY),
    max: loads.reduce((most, load) => Math.max(most, load), 0),
    /** Sum of squared loads: the lower, the better balanced (among plans of the same partitions). */
    imbalance: loads.reduce((sum, load) => sum + load * load, 0),
    spread,
  }
}
