/**
 * The named groups of the bench. `build` gives the group (see group.mjs); `goals` are ratios to a peer's planning
 * call, `faster` being the faster of the two.
 */
import { evenTopics, everyTopic, forget, join, leave, randomShare, settledGroup } from './group.mjs'
import { random } from './random.mjs'

const U1 = evenTopics(100, 200)
const U2 = evenTopics(500, 2000)
const J62 = evenTopics(100, 500)

function uniform(sizes, members, happen) {
  return rng => {
    const subscribe = everyTopic(sizes)
    const group = settledGroup(rng, sizes, members, subscribe)
    happen(rng, group, subscribe)
    return group
  }
}

function mixed(sizes, members, share, happen) {
  return rng => {
    const subscribe = randomShare(sizes, share, rng)
    const group = settledGroup(rng, sizes, members, subscribe)
    happen(rng, group, subscribe)
    return group
  }
}

const oneJoins = (rng, group, subscribe) => join(rng, group, 1, subscribe)
const oneLeaves = (rng, group) => leave(rng, group, 1)
const allNew = (_rng, group) => forget(group)
const oneLeavesOneJoins = (rng, group, subscribe) => {
  leave(rng, group, 1)
  join(rng, group, 1, subscribe)
}

/** U1 with one more member, which subscribes `odd` topics only. */
function withOddMember(sizes, odd) {
  return rng => {
    const all = everyTopic(sizes)
    const group = settledGroup(rng, sizes, 101, i => (i === 0 ? odd : all()))
    const [oddMember, ...others] = group.members
    const rest = { members: others }
    oneLeavesOneJoins(rng, rest, all)
    group.members = [oddMember, ...rest.members]
    return group
  }
}

function disjointHalves(rng) {
  const half = [...U1.keys()].slice(0, 50)
  const rest = [...U1.keys()].slice(50)
  const group = settledGroup(rng, U1, 500, i => (i % 4 === 0 ? half : rest))
  leave(rng, group, 1)
  join(rng, group, 1, () => rest)
  return group
}

function oneOwnerNinetyNineJoin(rng) {
  const all = everyTopic(U1)
  const group = settledGroup(rng, U1, 1, all)
  join(rng, group, 99, i => (i === 0 ? [0] : all()))
  return group
}

/** How plan time compares, plan with the answer's objects and bytes to bytes where there is a goal for them. */
const U2_GOALS = [
  { figure: 'plan', peer: 'franz', ratio: 1 / 7 },
  { figure: 'answer', peer: 'franz', ratio: 1 / 4 },
  { figure: 'bytes', peer: 'franz', ratio: 1 },
]
const plan = (peer, ratio) => [{ figure: 'plan', peer, ratio }]

const list = [
  ['72x8-join', '72 partitions × 8 members, one joins', uniform([72], 8, oneJoins), plan('franz', 1 / 2)],
  ['72x8-leave', '72 partitions × 8 members, one leaves', uniform([72], 8, oneLeaves), plan('franz', 1 / 2)],
  [
    '3000x450',
    '30 topics × 100 partitions, 450 members, one leaves, one joins',
    uniform(evenTopics(30, 100), 450, oneLeavesOneJoins),
    plan('franz', 1 / 2),
  ],
  ['U1', '100 × 200, 100 members, one leaves, one joins', uniform(U1, 100, oneLeavesOneJoins), plan('franz', 1 / 3)],
  ['U2-join', '500 × 2,000, 2,000 members, one joins', uniform(U2, 2000, oneJoins), U2_GOALS],
  ['U2-leave', '500 × 2,000, 2,000 members, one leaves', uniform(U2, 2000, oneLeaves), U2_GOALS],
  [
    'U2-half',
    '500 × 2,000, 1,000 members, 1,000 more join',
    uniform(U2, 1000, (rng, group, subscribe) => join(rng, group, 1000, subscribe)),
    U2_GOALS,
  ],
  ['U2-new', '500 × 2,000, 2,000 members, all new', uniform(U2, 2000, allNew), plan('faster', 1 / 2)],
  ['H1', 'U1 and one member on one topic only', withOddMember(U1, [0]), plan('franz', 1 / 3)],
  [
    'H1b',
    'H1 with that topic of 20 partitions',
    withOddMember([20, ...evenTopics(99, 200)], [0]),
    plan('franz', 1 / 3),
  ],
  ['H2', "two disjoint halves of U1's topics, 125 and 375 members", disjointHalves, plan('faster', 1 / 500)],
  [
    'H3',
    '50 × 20, 50 members, each on a random half',
    mixed(evenTopics(50, 20), 50, 1 / 2, oneLeavesOneJoins),
    plan('franz', 2 / 3),
  ],
  [
    'H4',
    '200 × 30, 200 members, each on a random tenth',
    mixed(evenTopics(200, 30), 200, 1 / 10, oneLeavesOneJoins),
    plan('franz', 2 / 3),
  ],
  [
    'S1',
    'one owner of 100 × 200, 99 join, one of them on one topic only',
    oneOwnerNinetyNineJoin,
    [...plan('franz', 1 / 100), { figure: 'spread proven' }],
  ],
  [
    'S2',
    '100 × 200, 50 members grow to 500, each on a random half',
    mixed(U1, 50, 1 / 2, (rng, group, subscribe) => join(rng, group, 450, subscribe)),
    [...plan('franz', 1 / 20), { figure: 'spread proven' }],
  ],
  [
    'J62-leave',
    '100 × 500, 500 members, each on a random half, one leaves',
    mixed(J62, 500, 1 / 2, oneLeaves),
    [...plan('franz', 1 / 2), { figure: 'spread proven' }],
  ],
  [
    'J62-join',
    '100 × 500, 500 members, each on a random half, one joins',
    mixed(J62, 500, 1 / 2, oneJoins),
    [...plan('franz', 1 / 2), { figure: 'spread proven' }],
  ],
  [
    'J62-new',
    '100 × 500, 500 members, each on a random half, all new',
    mixed(J62, 500, 1 / 2, allNew),
    [...plan('franz', 1 / 3), { figure: 'spread proven' }],
  ],
]

/** @returns the group of a case; the order of its members is as random as that of a JoinGroup answer. */
export function buildCase({ name, build }) {
  const rng = random([...name].reduce((seed, letter) => seed * 31 + letter.charCodeAt(0), 7))
  const group = build(rng)
  group.members = rng.shuffled(group.members)
  return group
}

export const cases = list.map(([name, about, build, goals]) => ({ name, about, build, goals }))

const reading = [
  'nearly all of the time goes into reading the request: two thousand objects of 500 keys, which V8 keeps as hash tables',
  '(to list a key and look it up takes some 50 ns), and a million lists of one number, each in memory of its own. A leader',
  'reads bytes instead: see the figure "bytes".',
].join(' ')
const tiny = 'a few microseconds are spent on names and on some forty small arrays, whatever the plan.'

/** What stands in the way where a goal is missed; printed only then. */
export const obstacles = {
  'U2-join': reading,
  'U2-leave': reading,
  'U2-half': reading,
  '72x8-join': tiny,
  '72x8-leave': tiny,
}
