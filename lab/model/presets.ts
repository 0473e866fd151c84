/** Scenarios worth looking at: those of the measured share table, and those in which strategies differ most. */

import type { Action, Consumer, Scenario, Step } from '../../src/scenario/scenario'

export interface Preset extends Scenario {
  readonly key: string
  readonly title: string
  /** What to look for. */
  readonly about: string
  /** The step to open at, if not the last. */
  readonly at?: number
}

const everyTopic = (id: string): Consumer => ({ id, topics: null })
const join = (...ids: string[]): Step => ids.map(id => ({ do: 'join', consumer: everyTopic(id) }))
const leave = (...ids: string[]): Step => ids.map(id => ({ do: 'leave', id }))
const crash = (id: string): Action => ({ do: 'crash', id })
const restart = (id: string): Action => ({ do: 'restart', id })
const names = (prefix: string, from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => `${prefix}${from + i}`)
const topics = (partitions: Record<string, number>) =>
  Object.entries(partitions).map(([topic, count]) => ({ topic, partitions: count }))
const group = (partitions: Record<string, number>, ids: string[]) => ({
  topics: topics(partitions),
  consumers: ids.map(everyTopic),
})

const threeTopics = { t3a: 3, t3b: 3, t3c: 3 }
const measured =
  'A share table measured on Kafka 4.3.1. Consumers of a real group join one after another, so sticky shares are those of a short history; range and roundrobin have no memory.'

export const presets: readonly Preset[] = [
  {
    key: 'one-crashes',
    title: 'One of three crashes',
    about:
      'Two topics, three consumers. When one dies, roundrobin deals everything anew; sticky moves what the dead one had, and nothing else.',
    start: group({ orders: 6, payments: 6 }, ['api-1', 'api-2', 'api-3']),
    steps: [[crash('api-2')], [restart('api-2')]],
    at: 1,
  },
  {
    key: 'fleet',
    title: '3 × 24 partitions, 6 → 8 → 4 consumers',
    about:
      'A service scales out for the day and in for the night. Compare the sums: each move is a cache lost, a state rebuilt.',
    start: group({ clicks: 24, orders: 24, views: 24 }, names('pod-', 1, 6)),
    steps: [join('pod-7', 'pod-8'), leave('pod-2', 'pod-4', 'pod-5', 'pod-7')],
  },
  {
    key: 'there-and-back',
    title: '12 partitions, 3 → 2 → 3 consumers',
    about:
      'One leaves and returns. It ends at 4/4/4 again, not at 5/5/2 as some texts have it: balance comes first, so four partitions go back.',
    start: group({ orders: 12 }, ['c1', 'c2', 'c3']),
    steps: [leave('c3'), join('c3')],
  },
  {
    key: 'worked-trace',
    title: 'A trace by hand: W crashes, Z joins',
    about:
      'W owned 0, 1, 2 and dies; X owns 3–6, Y 7–8; Z is new. X gives up its highest, the free ones go in order to who has least: X 3,4,5 · Y 2,7,8 · Z 0,1,6, four moved.',
    start: {
      ...group({ t: 9 }, ['W', 'X', 'Y']),
      owned: { W: { t: [0, 1, 2] }, X: { t: [3, 4, 5, 6] }, Y: { t: [7, 8] } },
    },
    steps: [[crash('W'), ...join('Z')]],
  },
  {
    key: 'shares-2',
    title: 'Measured: 3 topics × 3, 2 consumers',
    about: measured,
    start: group(threeTopics, ['c1']),
    steps: [join('c2')],
  },
  {
    key: 'shares-3',
    title: 'Measured: 3 topics × 3, 3 consumers',
    about: measured,
    start: group(threeTopics, ['c1']),
    steps: [join('c2', 'c3')],
  },
  {
    key: 'shares-4',
    title: 'Measured: 3 topics × 3, 4 consumers',
    about: measured,
    start: group(threeTopics, ['c3']),
    steps: [join('c1', 'c2'), join('c4')],
  },
  {
    key: 'shares-10',
    title: 'Measured: 3 topics × 3, 10 consumers',
    about: `${measured} Range leaves seven consumers idle: it deals each topic by itself.`,
    start: group(threeTopics, ['c1']),
    steps: [join(...names('c', 2, 10))],
  },
  {
    key: 'shares-5-1',
    title: 'Measured: 5 + 1 partitions, 2 consumers',
    about: measured,
    start: group({ u1: 1, u5: 5 }, ['c1']),
    steps: [join('c2')],
  },
  {
    key: 'shares-one-topic',
    title: 'Measured: one topic × 3, 2 consumers',
    about: measured,
    start: group({ t: 3 }, ['c1']),
    steps: [join('c2')],
  },
  {
    key: 'own-topics',
    title: 'Each its own subscription',
    about:
      'Four consumers, two of which read three of the five topics. roundrobin ends at 3/3/0/2; what is best, 2/2/2/2, takes looking at who may read what.',
    start: {
      topics: topics({ t1: 2, t2: 1, t3: 2, t4: 1, t5: 2 }),
      consumers: [
        everyTopic('c1'),
        { id: 'c2', topics: ['t1', 't3', 't5'] },
        { id: 'c3', topics: ['t1', 't3', 't5'] },
        everyTopic('c4'),
      ],
    },
    steps: [[crash('c1')], [restart('c1')], [{ do: 'subscribe', id: 'c2', topics: ['t5'] }]],
  },
  {
    key: 'racks',
    title: 'Three racks',
    about:
      'Consumers that tell their rack read from a replica nearby where balance allows (KIP-881). roundrobin knows no racks.',
    start: {
      topics: [{ topic: 'orders', partitions: 9, racks: ['r1', 'r2', 'r3'], replicas: 1 }],
      consumers: ['r2', 'r3', 'r1'].map((rackId, i) => ({ id: `c${i + 1}`, topics: null, rackId })),
    },
    steps: [[{ do: 'join', consumer: { id: 'c4', topics: null, rackId: 'r1' } }], [crash('c2')], [restart('c2')]],
  },
  {
    key: 'deploy',
    title: 'A rolling deploy of four',
    about:
      'Each of four consumers is replaced in turn, the new one first. Watch roundrobin move nearly everything, each time.',
    start: group({ orders: 16 }, names('v1-', 1, 4)),
    steps: [1, 2, 3, 4].flatMap(i => [join(`v2-${i}`), leave(`v1-${i}`)]),
  },
]

/** The step that a preset opens at. */
export const openingStep = ({ at, steps }: Preset): number => at ?? steps.length

export const presetOf = (key: string): Preset | undefined => presets.find(preset => preset.key === key)
