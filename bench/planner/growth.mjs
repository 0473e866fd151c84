/** How plan time grows with partitions and with members: one leaves, one joins, in four kinds of groups. */
import { evenTopics, everyTopic, join, leave, randomShare, settledGroup, unevenTopics } from './group.mjs'
import { random } from './random.mjs'

const topicCount = 100
const largestTopic = 100_000
const partitionSteps = [10_000, 31_600, 100_000, 316_000, 1_000_000]
const memberSteps = [10, 30, 100, 300, 1000, 2000]
const kinds = [
  { name: 'uniform, even topics', mixed: false, even: true },
  { name: 'uniform, uneven topics', mixed: false, even: false },
  { name: 'mixed, even topics', mixed: true, even: true },
  { name: 'mixed, uneven topics', mixed: true, even: false },
]

/**
 * @param time measures one group
 * @returns {{partitions: Series[], members: Series[]}} each series {name, points: [{x, ms}]}
 */
export async function measureGrowth(time) {
  const series = async (kind, points) => {
    const measured = []
    for (const { x, partitions, members } of points) {
      process.stderr.write('.')
      const result = await time(growthGroup(kind, partitions, members))
      if (!result.runs) throw new Error(`${kind.name}, ${partitions} × ${members}: ${JSON.stringify(result)}`)
      measured.push({ x, ms: result.best })
    }
    return { name: kind.name, points: measured }
  }
  const both = { partitions: [], members: [] }
  for (const kind of kinds) {
    both.partitions.push(
      await series(
        kind,
        partitionSteps.map(x => ({ x, partitions: x, members: 200 })),
      ),
    )
    both.members.push(
      await series(
        kind,
        memberSteps.map(x => ({ x, partitions: 100_000, members: x })),
      ),
    )
  }
  return both
}

/** `partitions` over 100 topics; mixed members subscribe to a random half of them. */
export function growthGroup({ mixed, even }, partitions, members) {
  const rng = random(partitions + members)
  const sizes = even
    ? evenTopics(topicCount, partitions / topicCount)
    : unevenTopics(topicCount, partitions, largestTopic)
  const subscribe = mixed ? randomShare(sizes, 1 / 2, rng) : everyTopic(sizes)
  const group = settledGroup(rng, sizes, members, subscribe)
  leave(rng, group, 1)
  join(rng, group, 1, subscribe)
  return group
}
