import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { type Action, groupsOf, type Scenario } from '../../src/scenario/scenario'
import { decode, encode, limits, type Place } from './address'
import { presetOf, presets } from './presets'

const scenarioOf = ({ start, steps }: Scenario): Scenario => ({ start, steps })
const groupAddress = (packed: unknown) => `#group=${Buffer.from(JSON.stringify(packed)).toString('base64url')}`
const message = (hash: string) => {
  try {
    decode(hash)
    return 'none'
  } catch (error) {
    return (error as Error).message
  }
}

describe('An address', () => {
  it('that is empty names nothing', () => {
    expect(decode('')).toBeUndefined()
    expect(decode('#')).toBeUndefined()
  })

  it('names a preset and a step', () => {
    expect(decode('#preset=fleet&step=1')).toEqual({ scenario: presetOf('fleet'), preset: 'fleet', step: 1 })
    expect(decode('#preset=fleet')).toMatchObject({ step: 2 })
  })

  it('of a scenario of its own holds all of it', () => {
    for (const preset of presets) {
      const place: Place = { scenario: scenarioOf(preset), step: preset.steps.length }
      expect(decode(`#${encode(place)}`)).toEqual(place)
    }
  })

  it('holds every kind of action, and any name', () => {
    const name = fc.string({ minLength: 1, maxLength: limits.name, unit: 'grapheme' }).filter(text => {
      return text.trim() !== '' && text.length <= limits.name
    })
    const scenario = fc.record({ id: name, topic: name, rack: name, count: fc.integer({ min: 1, max: 50 }) }).map(
      ({ id, topic, rack, count }): Scenario => ({
        start: {
          topics: [{ topic, partitions: count, racks: [rack], replicas: 2 }],
          consumers: [{ id, topics: [topic], rackId: rack }],
          owned: Object.fromEntries([[id, Object.fromEntries([[topic, [0]]])]]),
        },
        steps: [
          [{ do: 'join', consumer: { id: `${id}x`.slice(-limits.name), topics: null } }],
          [{ do: 'subscribe', id, topics: [] }],
          [{ do: 'subscribe', id, topics: null }],
          [{ do: 'topic', topic: { topic, partitions: count + 1 } }],
          [
            { do: 'crash', id },
            { do: 'restart', id },
          ],
          [{ do: 'delete', topic }],
          [{ do: 'leave', id }],
        ] as Action[][],
      }),
    )
    fc.assert(
      fc.property(scenario, scenario => {
        try {
          groupsOf(scenario)
        } catch {
          return // two of the names are the same
        }
        expect(decode(`#${encode({ scenario, step: 3 })}`)).toEqual({ scenario, step: 3 })
      }),
    )
  })

  const topics = [['t', 3]]
  const consumers = [['a', 0]]
  it.each<[string, string]>([
    ['#nonsense', 'it names no group'],
    ['#preset=nope', 'there is no preset "nope"'],
    ['#preset=fleet&step=3', 'it asks for step 3 of 2'],
    ['#preset=fleet&step=-1', 'it asks for step -1 of 2'],
    ['#preset=fleet&step=1.5', 'it asks for step 1.5 of 2'],
    ['#preset=fleet&step=x', 'it asks for step x of 2'],
    ['#group=%%%', 'the group in it is cut or mangled'],
    [`${groupAddress({ t: topics, c: consumers, s: [] }).slice(0, -3)}`, 'the group in it is cut or mangled'],
    [groupAddress(7), 'the group should be an object'],
    [groupAddress(null), 'the group should be an object'],
    [groupAddress({}), 'topics should be a list'],
    [groupAddress({ t: [['', 1]], c: [], s: [] }), 'a topic should have a name of 1 to 249 characters'],
    [groupAddress({ t: [['t', 0]], c: [], s: [] }), 'partitions should be a number from 1 to 400'],
    [groupAddress({ t: [['t', 1e9]], c: [], s: [] }), 'partitions should be a number from 1 to 400'],
    [groupAddress({ t: [['t', '3']], c: [], s: [] }), 'partitions should be a number from 1 to 400'],
    [
      groupAddress({
        t: [
          ['t', 300],
          ['u', 300],
        ],
        c: [],
        s: [],
      }),
      'it has 600 partitions, and this page takes 400',
    ],
    [groupAddress({ t: topics, c: [['a', 'all']], s: [] }), 'a subscription should be a list'],
    [
      groupAddress({
        t: topics,
        c: [
          ['a', 0],
          ['a', 0],
        ],
        s: [],
      }),
      'there are two consumers "a"',
    ],
    [groupAddress({ t: [...topics, ...topics], c: [], s: [] }), 'there are two topics "t"'],
    [groupAddress({ t: topics, c: consumers, s: [[['explode', 'a']]] }), 'it has an action "explode"'],
    [groupAddress({ t: topics, c: consumers, s: [[['crash', 'b']]] }), 'step 1 crashes "b", who is not in the group'],
    [
      groupAddress({ t: topics, c: consumers, s: [[['topic', 't', 2]]] }),
      'step 1 grows "t", which has 3 partitions already',
    ],
    [groupAddress({ t: topics, c: consumers, s: Array(101).fill([]) }), 'it has 101 steps, and this page takes 100'],
    [groupAddress({ t: topics, c: consumers, o: { a: { t: [3] } }, s: [] }), '"a" owns t-3, which does not exist'],
    [groupAddress({ t: topics, c: consumers, o: { a: { t: [1, 1] } }, s: [] }), 't-1 has two owners'],
    [groupAddress({ t: topics, c: consumers, o: { b: { t: [1] } }, s: [] }), '"b" owns something and is not there'],
  ])('that cannot be read says why: %s', (hash, why) => {
    expect(message(hash)).toBe(why)
  })

  it('of any kind is read or refused with a reason, never with another kind of error', () => {
    const mangled = fc.oneof(
      fc.string(),
      fc.string().map(text => `#group=${text}`),
      fc.jsonValue().map(groupAddress),
      fc.record({ t: fc.jsonValue(), c: fc.jsonValue(), s: fc.jsonValue() }).map(groupAddress),
    )
    fc.assert(fc.property(mangled, hash => expect(message(hash)).not.toMatch(/undefined|null|not a function|iterable/)))
  })
})
