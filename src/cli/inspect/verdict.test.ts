import { describe, expect, test } from '@jest/globals'
import { liveGroup, type TestMember } from './testing/group'
import { judge } from './verdict'

const t = ['t']
const verdict = (topics: Record<string, number>, members: Record<string, TestMember>) =>
  judge(liveGroup(topics, members))

describe('the optimum', () => {
  test('an even assignment of everything', () => {
    const members = {
      a: { topics: t, assigned: { t: [0, 2] } },
      b: { topics: t, assigned: { t: [1] } },
      c: { metadata: 'ff' },
    }
    expect(verdict({ t: 3 }, members)).toEqual({
      balance: { min: 1, max: 2 },
      best: { min: 1, max: 2 },
      movesToBest: 0,
      optimum: true,
      spread: { sumOfSquares: 5, least: 5, proven: true },
      unassigned: {},
      assignedTwice: {},
      stray: [],
    })
  })

  test('also one as uneven as the subscriptions', () => {
    const members = { a: { topics: ['t', 'u'], assigned: { u: [0] } }, b: { topics: t, assigned: { t: [0, 1, 2, 3] } } }
    const even = { a: { topics: ['u'], assigned: { u: [0] } }, b: { topics: t, assigned: { t: [0, 1, 2, 3] } } }
    expect(verdict({ t: 4, u: 1 }, members)).toMatchObject({ optimum: false, movesToBest: 1, best: { min: 2, max: 3 } })
    expect(verdict({ t: 4, u: 1 }, even)).toMatchObject({ optimum: true, balance: { min: 1, max: 4 } })
  })

  test('even if the topics could be spread more evenly, which is said', () => {
    const topics = ['t', 'u']
    const members = { a: { topics, assigned: { t: [0, 1] } }, b: { topics, assigned: { u: [0, 1] } } }
    expect(verdict({ t: 2, u: 2 }, members)).toMatchObject({
      optimum: true,
      spread: { sumOfSquares: 8, least: 4, proven: true },
    })
  })

  test('a group without members has nothing to complain of', () => {
    expect(verdict({ t: 3 }, {})).toMatchObject({ optimum: true, balance: { min: 0, max: 0 }, movesToBest: 0 })
  })
})

describe('no optimum', () => {
  test('partitions that nobody has', () => {
    const members = { a: { topics: t, assigned: { t: [0, 3] } } }
    expect(verdict({ t: 4 }, members)).toMatchObject({ optimum: false, unassigned: { t: [1, 2] }, movesToBest: 2 })
  })

  test('partitions that two have', () => {
    const members = { a: { topics: t, assigned: { t: [0, 1] } }, b: { topics: t, assigned: { t: [1, 2] } } }
    expect(verdict({ t: 3 }, members)).toMatchObject({ optimum: false, assignedTwice: { t: [1] }, unassigned: {} })
  })

  test('partitions of a topic that the member does not subscribe, or that do not exist', () => {
    const members = { a: { topics: t, assigned: { t: [0, 7], u: [0] } }, b: { topics: ['u'], assigned: {} } }
    expect(verdict({ t: 1, u: 1 }, members)).toMatchObject({
      optimum: false,
      stray: [{ memberId: 'a', partitions: { t: [7], u: [0] } }],
      unassigned: { u: [0] },
      balance: { min: 0, max: 1 },
    })
  })
})
