/**
 * Ownership of a group at rest, before anything happens to it: every topic dealt evenly over its subscribers, then
 * balanced by cost-reducing paths (Harvey, Ladner, Lovász, Tamir 2006), so that no planner has to repair an old
 * imbalance. It is written for the bench alone and uses no contender.
 *
 * @param {number[]} sizes partitions by topic
 * @param {number[][]} subscriptions topic indexes by member
 * @returns {[topic: number, partitions: number[]][][]} by member
 */
export function settle(sizes, subscriptions) {
  const subscribers = sizes.map(() => [])
  subscriptions.forEach((topics, member) => {
    for (const topic of topics) subscribers[topic].push(member)
  })
  const counts = subscriptions.map(() => new Int32Array(sizes.length))
  const loads = new Int32Array(subscriptions.length)
  dealEvenly(sizes, subscribers, counts, loads)
  balance(subscriptions, subscribers, counts, loads)
  return identities(sizes, subscribers, counts)
}

function dealEvenly(sizes, subscribers, counts, loads) {
  const rarestFirst = [...sizes.keys()].sort((a, b) => subscribers[a].length - subscribers[b].length || a - b)
  for (const topic of rarestFirst) {
    const members = subscribers[topic]
    if (members.length === 0) continue
    const each = Math.floor(sizes[topic] / members.length)
    const extra = sizes[topic] % members.length
    const leastLoadedFirst = [...members].sort((a, b) => loads[a] - loads[b] || a - b)
    leastLoadedFirst.forEach((member, place) => {
      const count = each + (place < extra ? 1 : 0)
      counts[member][topic] = count
      loads[member] += count
    })
  }
}

function balance(subscriptions, subscribers, counts, loads) {
  const closed = new Uint8Array(loads.length)
  for (;;) {
    const receiver = leastLoaded(loads, closed)
    if (receiver < 0) return
    const path = pathToDonor(receiver, subscriptions, subscribers, counts, loads)
    if (!path.found) {
      // Whatever the search reached is at most one above the receiver and nothing from outside can come in.
      for (const member of path.seen) closed[member] = 1
      continue
    }
    const donor = path.steps[0].from
    let units = (loads[donor] - loads[receiver]) >> 1
    for (const step of path.steps) units = Math.min(units, counts[step.from][step.topic])
    for (const step of path.steps) {
      counts[step.from][step.topic] -= units
      counts[step.to][step.topic] += units
    }
    loads[donor] -= units
    loads[receiver] += units
  }
}

function leastLoaded(loads, closed) {
  let best = -1
  for (let member = 0; member < loads.length; member++) {
    if (!closed[member] && (best < 0 || loads[member] < loads[best])) best = member
  }
  return best
}

/** Breadth first from the receiver, against the direction in which partitions would move. */
function pathToDonor(receiver, subscriptions, subscribers, counts, loads) {
  const reachedBy = new Map([[receiver, null]])
  const topicsSeen = new Set()
  const queue = [receiver]
  for (const to of queue) {
    for (const topic of subscriptions[to]) {
      if (topicsSeen.has(topic)) continue
      topicsSeen.add(topic)
      for (const from of subscribers[topic]) {
        if (reachedBy.has(from) || counts[from][topic] === 0) continue
        reachedBy.set(from, { from, topic, to })
        queue.push(from)
        if (loads[from] < loads[receiver] + 2) continue
        const steps = []
        for (let step = reachedBy.get(from); step; step = reachedBy.get(step.to)) steps.push(step)
        return { found: true, steps, seen: queue }
      }
    }
  }
  return { found: false, steps: [], seen: queue }
}

/** Partition ids go round the owners of a topic one by one, as round robin and Kafka's own assignors deal them. */
function identities(sizes, subscribers, counts) {
  const owned = counts.map(() => [])
  for (let topic = 0; topic < sizes.length; topic++) {
    const lists = new Map()
    for (const member of subscribers[topic]) if (counts[member][topic] > 0) lists.set(member, [])
    for (let partition = 0; partition < sizes[topic] && lists.size > 0; ) {
      for (const [member, list] of lists) {
        if (list.length === counts[member][topic]) continue
        list.push(partition++)
      }
    }
    for (const [member, list] of lists) owned[member].push([topic, list])
  }
  return owned
}
