import { describe, expect, test } from '@jest/globals'
import { plan } from '.'
import { assignments, group, loads, nextRequest } from './testing/notation'

describe('the recipe', () => {
  test('worked trace: W owned 0,1,2 and crashed', () => {
    const trace = plan(group({ t: 9 }, { X: { owned: { t: [3, 4, 5, 6] } }, Y: { owned: { t: [7, 8] } }, Z: {} }))
    expect(assignments(trace)).toEqual({ X: 't-3,4,5', Y: 't-2,7,8', Z: 't-0,1,6' })
    expect(trace.report).toMatchObject({ moved: 4, kept: 5, transferred: 1, unclaimed: 3, minimumMoves: 4 })
  })

  test('12 partitions, 3 → 2 → 3 members: 4/4/4 and 4 moved on the return', () => {
    const three = group({ t: 12 }, { a: {}, b: {}, c: {} })
    const owned = nextRequest(three, plan(three))
    const two = { ...owned, members: owned.members.slice(0, 2) }
    const survivors = plan(two)
    expect(loads(survivors)).toEqual([6, 6])
    const back = nextRequest(two, survivors)
    const again = plan({ ...back, members: [...back.members, { memberId: 'c2', topics: ['t'] }] })
    expect(loads(again)).toEqual([4, 4, 4])
    expect(again.report).toMatchObject({ moved: 4, minimumMoves: 4 })
  })

  test('over several topics members give up by highest partition, then by highest topic name', () => {
    const given = plan(group({ a: 3, b: 3, c: 2 }, { x: { owned: { a: [0, 1, 2], b: [0, 1, 2], c: [0, 1] } }, y: {} }))
    expect(assignments(given)).toEqual({ x: 'a-0,1 b-0 c-0', y: 'a-2 b-1,2 c-1' })
  })

  test('larger targets go to those that own the most, ties to the smaller id', () => {
    const three = plan(
      group({ t: 8 }, { a: { owned: { t: [0, 1] } }, b: { owned: { t: [2, 3, 4] } }, c: { owned: { t: [5, 6] } } }),
    )
    expect(assignments(three)).toEqual({ a: 't-0,1,7', b: 't-2,3,4', c: 't-5,6' })
  })
})
