import { expect, test } from '@jest/globals'
import { reportOn } from './report'
import { currentRequest } from './request'
import { liveGroup } from './testing/group'
import { renderText } from './text'
import { whatIf } from './what-if'

const offsets = (count: number) => Array.from({ length: count }, (_, p) => ({ committed: p === 0 ? null : 5, end: 9 }))
const group = liveGroup(
  {
    audit: { topic: 'audit', partitions: 3, problem: null, offsets: offsets(3) },
    orders: { topic: 'orders', partitions: 8, problem: 'LEADER_NOT_AVAILABLE', offsets: null },
    gone: 0,
  },
  {
    'evil\u001b[2J': { metadata: 'ffff', clientId: 'a\nb' },
    'java-1': { topics: ['orders', 'gone'], assigned: { orders: [3, 4] } },
    'node-1': {
      topics: ['orders', 'audit'],
      assigned: { orders: [0, 1, 2], audit: [0] },
      claimed: { orders: [0, 1, 2, 3, 4], audit: [0, 1] },
      generation: 7,
    },
    'node-2': {
      topics: ['orders', 'audit'],
      assigned: { orders: [5, 6, 7], audit: [2] },
      claimed: { orders: [5] },
      rackId: 'r1',
    },
  },
)

test('everything that is known, with names that cannot steer the terminal', () => {
  const changes = { add: [{ count: 1, topics: null }], remove: ['java'], partitions: new Map() }
  const text = renderText({ group: reportOn(group), whatIf: whatIf(currentRequest(group, 'sticky'), changes) })
  expect(text).toBe(`Group g: Stable, sticky, 4 members, 11 partitions in 3 topics

evil\\u{1b}[2J
  Client      a\\u{a}b at 10.0.0.1
  Subscribes  nothing (version -1)
  Unreadable  version at byte 0: its version, count or length is negative; it is taken as owning nothing
  Assigned    none
  Lag         0 records

java-1
  Client      client-java-1 at 10.0.0.1
  Subscribes  gone, orders (version 3)
  Assigned    2: orders 3-4
  Claimed     nothing when it last joined
  Lag         unknown

node-1
  Client      client-node-1 at 10.0.0.1
  Subscribes  audit, orders (version 3)
  Assigned    4: audit 0 · orders 0-2
  Claimed     7: audit 0-1 · orders 0-4; generation 7, released when it last joined
  Lag         unknown

node-2
  Client      client-node-2 at 10.0.0.1
  Subscribes  audit, orders (version 3, rack r1)
  Assigned    4: audit 2 · orders 5-7
  Claimed     1: orders 5; no generation, released when it last joined
  Lag         unknown

Balance     2 to 4 partitions a member, not the optimum: that is 3 to 4 partitions, 2 moves away
Unassigned  1: audit 1
Unreadable  evil\\u{1b}[2J
Lag         unknown
Note        topic orders: LEADER_NOT_AVAILABLE; its partition count is taken from the assignments
Note        topic gone does not exist
Note        members tell racks; what racks the replicas are in is not known here, so that plans disregard them

What if java-1 leaves, 1 member joins and reads audit, orders? With sticky:
Moves       3 of 11 partitions; the fewest possible for this balance is 3; 8 stay
Balance     3 to 4 partitions a member

  evil\\u{1b}[2J  0 → 0      stays as it is
  node-1         4 → 4      stays as it is
  node-2         4 → 4      stays as it is
  new-1          0 → 3      gets audit 1 · orders 3-4
`)
})

test('a cooperative group that plans as it is, and one whose strategy is not ours', () => {
  const topics = { t: 4 }
  const members = {
    a: { topics: ['t'], assigned: { t: [0, 1, 2] } },
    b: { topics: ['t'], claimed: { t: [0] }, generation: 2 },
  }
  const uneven = liveGroup(topics, members, { protocol: 'cooperative-sticky' })
  const nothing = { add: [], remove: [], partitions: new Map() }
  const plan = whatIf({ ...currentRequest(uneven, 'cooperative-sticky'), reasons: true }, nothing)
  const text = renderText({ group: reportOn(uneven), whatIf: plan })
  expect(text).toContain('Claimed     1: t 0; generation 2, held when it last joined\n')
  expect(text).toContain('What if the group rebalances as it is? With cooperative-sticky:\n')
  expect(text).toContain('Moves       2 of 4 partitions; the fewest possible for this balance is 2; 2 stay\n')
  expect(text).toContain('Rounds      2: 1 of them in the second, when their owners have let go\n')
  expect(text).toContain('  a  3 → 2      gives up t 2\n  b  0 → 2      gets t 2-3\n')
  expect(text).toMatch(/\n {2}t-2: a → b.*\n/)

  expect(reportOn(uneven).notes).toEqual([
    'between the two rounds of a cooperative rebalance what moves is assigned to nobody: look again',
  ])

  const foreign = liveGroup(topics, members, { protocol: 'RoundRobinAssigner' })
  expect(reportOn(foreign).notes).toEqual([
    'the members agreed on RoundRobinAssigner, which is not planned here: what if is answered with sticky instead',
  ])
})

test('a group that has not settled is told without what brokers do not tell of it', () => {
  const rebalancing = liveGroup({ t: 4 }, { a: { metadata: '' } }, { state: 'PreparingRebalance', protocol: '' })
  expect(
    renderText({ group: reportOn(rebalancing), whatIf: null }),
  ).toBe(`Group g: PreparingRebalance, 1 member, 4 partitions in 1 topic

a
  Client      client-a at 10.0.0.1

Lag         unknown
Note        the group is rebalancing (PreparingRebalance); brokers tell subscriptions and assignments only when it has settled
`)
})

test('a plan that depends on ids to come says so', () => {
  const changes = { add: [{ count: 1, topics: null }], remove: [], partitions: new Map() }
  const text = renderText({ group: null, whatIf: whatIf(currentRequest(group, 'roundrobin'), changes) })
  expect(text).toMatch(/^What if 1 member joins and reads audit, orders\? With roundrobin:\n/)
  expect(text).toMatch(/\nWhich partitions the others keep depends on the ids that the new members will get\.\n$/)
})

test('an assignment that cannot be read is noted; none at all is what a leader may send for no partitions', () => {
  const members = { a: { topics: ['t'], assignment: '' }, b: { topics: ['t'], assignment: '0003 7fffffff' } }
  expect(reportOn(liveGroup({ t: 1 }, members)).notes).toEqual([
    'the assignment of b cannot be read: partitions at byte 2: its count or length is larger than the bytes left',
  ])
})
