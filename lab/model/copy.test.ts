import { describe, expect, it } from '@jest/globals'
import { plan } from '../../src/planner'
import { simulate } from '../../src/scenario/simulate'
import { asRequest, asTable, countsInWords } from './copy'
import { nextNames } from './names'
import { presetOf } from './presets'

const trace = presetOf('worked-trace')!
const history = simulate(trace, ['range', 'sticky', 'cooperative-sticky'])
const turn = (strategy: 'sticky' | 'cooperative-sticky', step: number) => history.turns.get(strategy)![step]!

describe('A copied request', () => {
  it('plans to what the board shows', () => {
    const answer = plan(JSON.parse(asRequest(turn('sticky', 1), 0)!))
    expect(answer.assignment('Z')).toEqual([{ topic: 't', partitions: [0, 1, 6] }])
    expect(answer.report.moved).toBe(4)
  })

  it('is that of the round which is shown', () => {
    const rounds = [0, 1, 9].map(round => JSON.parse(asRequest(turn('cooperative-sticky', 1), round)!))
    expect(rounds.map(({ members }) => members[0].owned)).toEqual([
      { t: [3, 4, 5, 6] },
      { t: [3, 4, 5] },
      { t: [3, 4, 5] },
    ])
  })

  it('is none where nothing was planned', () => {
    expect(asRequest(turn('sticky', 0), 0)).toBeUndefined()
  })
})

describe('A copied table', () => {
  it('holds moves by step, and shares', () => {
    expect(asTable(trace, history, 1)).toBe(
      `| step: moved (needed) | range | sticky | cooperative-sticky |
| --- | --- | --- | --- |
| 1. W crashes, Z joins | 9 (4) | 4 (4) | 4 (4) |

| after step 1 | range | sticky | cooperative-sticky |
| --- | --- | --- | --- |
| W (down) | – | – | – |
| X | t 0,1,2 | t 3,4,5 | t 3,4,5 |
| Y | t 3,4,5 | t 2,7,8 | t 2,7,8 |
| Z | t 6,7,8 | t 0,1,6 | t 0,1,6 |
| partitions each | 3 | 3 | 3 |
| idle | 0 | 0 | 0 |
`,
    )
  })

  it('keeps names with bars in their cells', () => {
    const scenario = {
      start: { topics: [{ topic: 'a|b', partitions: 1 }], consumers: [{ id: 'c|d', topics: null }] },
      steps: [],
    }
    expect(asTable(scenario, simulate(scenario, ['sticky']), 0)).toContain('| c\\|d | a\\|b 0 |')
  })

  it('names counts in short', () => {
    expect([[], [2, 2], [4, 1, 2]].map(countsInWords)).toEqual(['–', '2', '1–4'])
  })
})

describe('Names for new consumers', () => {
  it.each<[string[], string[]]>([
    [[], ['c1', 'c2']],
    [
      ['c1', 'c2'],
      ['c3', 'c4'],
    ],
    [
      ['api-1', 'api-7'],
      ['api-8', 'api-9'],
    ],
    [
      ['W', 'X'],
      ['X1', 'X2'],
    ],
    [
      ['v1-4', 'v2-1'],
      ['v2-2', 'v2-3'],
    ],
  ])('count on from %j', (taken, next) => {
    expect(nextNames(taken, 2)).toEqual(next)
  })
})
