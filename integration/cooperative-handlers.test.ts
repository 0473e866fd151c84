/**
 * Every kind of handler and commit that kafkajs has, while members join and stop: nothing is lost, handled twice, or
 * handled by two at once, and in the end everything is committed. A selection, and with FULL=1 every
 * combination.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { committedLag } from './support/broker-view'
import { cooperative, expectExact, step, tiers } from './support/cooperative'
import { Group } from './support/group'
import { type RunningKafka, startKafka } from './support/kafka'
import type { Handling } from './support/ledger'
import type { MemberConfig } from './support/member'

let kafka: RunningKafka
let group: Group
let topics = 0

beforeAll(async () => {
  kafka = await startKafka()
})
afterAll(() => kafka?.remove())
afterEach(() => group?.close())

type Kind = Partial<MemberConfig>

const selection: Record<string, Kind> = {
  'eachMessage, one at a time': { concurrency: 1 },
  'eachMessage, four at a time, with heartbeat()': { concurrency: 4, heartbeatInHandler: true },
  'eachMessage, twelve at a time, commits by interval and threshold': {
    concurrency: 12,
    run: { autoCommitInterval: 100, autoCommitThreshold: 5 },
  },
  'eachMessage, manual commits': { concurrency: 4, manualCommit: true, run: { autoCommit: false } },
  'eachBatch, one at a time': { mode: 'eachBatch', concurrency: 1, handlerDelayMs: 4 },
  'eachBatch, four at a time, autoResolve off': {
    mode: 'eachBatch',
    concurrency: 4,
    run: { eachBatchAutoResolve: false },
  },
  'eachBatch, twelve at a time, manual commits': {
    mode: 'eachBatch',
    concurrency: 12,
    manualCommit: true,
    run: { autoCommit: false },
  },
}

function* everyCombination(): Generator<[string, Kind]> {
  // Of an eachMessage handler kafkajs resolves each record by itself.
  for (const mode of ['eachMessage', 'eachBatch'] as const)
    for (const autoCommit of [true, false])
      for (const eachBatchAutoResolve of mode === 'eachBatch' ? [true, false] : [true])
        for (const concurrency of [1, 4, 12])
          yield [
            `${mode}, autoCommit ${autoCommit}, autoResolve ${eachBatchAutoResolve}, concurrency ${concurrency}`,
            { mode, concurrency, manualCommit: !autoCommit, run: { autoCommit, eachBatchAutoResolve } },
          ]
}

const kinds = [...Object.entries(selection), ...(process.env.FULL ? everyCombination() : [])]

/** By consumer.commitOffsets, which does nothing once stop() has been called: what the handlers are at is handled again. */
const commitsByCall = ({ mode, manualCommit }: Kind) => manualCommit && mode !== 'eachBatch'

const isLastOf = (name: string, { member, topic, partition, offset }: Handling) =>
  member === name &&
  !group.ledger.handlings.some(
    each => each.member === name && each.topic === topic && each.partition === partition && each.offset > offset,
  )

describe.each(tiers)('%s', tier => {
  test.each(kinds)('%s', async (_, changes) => {
    // Of its own: what the kinds before it were sent would be this one's backlog, by the end more than it can handle.
    const topic = `orders-${++topics}`
    group = await Group.start(kafka, {
      ...changes,
      topics: { [topic]: 12 },
      assigners: cooperative({ tier }),
      traffic: 300,
    })
    await group.add('a', 'b')
    await group.settled()
    const joined = await step(group, () => group.add('c'))
    expect(joined).toMatchObject({ moved: 4, bounced: [] })
    const stopped = await step(group, () => group.member('a').stop())
    expect(stopped).toMatchObject({ moved: 4, bounced: [] })
    await expectExact(group)
    const duplicates = group.ledger.duplicates()
    const wasAtIt = ([first, second]: Handling[]) => isLastOf('a', first!) && second!.start > stopped.at
    expect(commitsByCall(changes) ? duplicates.filter(each => !wasAtIt(each)) : duplicates).toEqual([])
    await group.member('b').stop()
    await group.member('c').stop()
    expect(await committedLag(group.admin, group.groupId, topic)).toBe(0)
  })
})
