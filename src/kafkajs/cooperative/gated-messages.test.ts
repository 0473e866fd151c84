import { describe, expect, test } from '@jest/globals'
import { gateMessages, LoopProbe } from './gated-messages'

const Batch = require('kafkajs/src/consumer/batch') as new (
  topic: string,
  fetchedOffset: string,
  part: object,
) => { messages: { offset: string }[]; isEmpty(): boolean; isEmptyDueToFiltering(): boolean }

const batchContext = { producerId: '7', inTransaction: true }
const messages = Array.from({ length: 5 }, (_, i) => ({ offset: String(i), key: null, batchContext }))

let takenCount = 0
const taken = () => {
  takenCount++
}

/** As kafkajs builds it from a fetch answer. */
function batchOf(mayContinue: () => boolean, probe = new LoopProbe(), abortedTransactions: object[] = []) {
  const gated = gateMessages(messages, abortedTransactions.length > 0 ? 3 : 2, probe, { mayContinue, taken })
  return new Batch('t', '0', { partition: 0, highWatermark: '5', abortedTransactions, messages: gated.messages })
}

/** The frames of kafkajs' Runner, by name. */
class Runner {
  handled: string[] = []
  constructor(private readonly eachBatch?: (batch: { messages: { offset: string }[] }) => void) {}

  handleBatch(batch: { messages: { offset: string }[] }, stopAfter = Number.POSITIVE_INFINITY): string[] {
    const onBatch = () => (this.eachBatch ? this.processEachBatch(batch) : this.processEachMessage(batch, stopAfter))
    onBatch()
    return this.handled
  }

  private processEachMessage(batch: { messages: { offset: string }[] }, stopAfter: number): void {
    for (const { offset } of batch.messages) {
      this.handled.push(offset)
      if (this.handled.length === stopAfter) break
    }
  }

  private processEachBatch(batch: { messages: { offset: string }[] }): void {
    this.eachBatch?.(batch)
  }
}

describe('the loop over single messages', () => {
  test('ends before the next message once it may not go on', () => {
    let allowed = 3
    expect(new Runner().handleBatch(batchOf(() => allowed-- > 0))).toEqual(['0', '1', '2'])
  })

  test('sees all messages otherwise, aborted transactions or not', () => {
    expect(new Runner().handleBatch(batchOf(() => true))).toHaveLength(5)
    const aborted = [{ producerId: '9', firstOffset: '0' }]
    let allowed = 1
    expect(new Runner().handleBatch(batchOf(() => allowed-- > 0, new LoopProbe(), aborted))).toEqual(['0'])
  })
})

describe('a handler of eachBatch', () => {
  test('always sees the whole batch: it may resolve the last offset by itself', () => {
    const seen: string[] = []
    // A name that a user may well have chosen.
    function processEachMessage(batch: { messages: { offset: string }[] }): void {
      for (const { offset } of batch.messages) seen.push(offset)
    }
    new Runner(processEachMessage).handleBatch(batchOf(() => false))
    expect(seen).toHaveLength(5)
  })

  test('gets an array like any other, and plain ones from it', () => {
    const { messages: own } = batchOf(() => false)
    expect(Array.isArray(own)).toBe(true)
    expect(own.at(-1)).toMatchObject({ offset: '4' })
    expect(own.map(({ offset }) => offset).constructor).toBe(Array)
    expect([...own]).toHaveLength(5)
    expect(JSON.parse(JSON.stringify(own))).toHaveLength(5)
  })
})

test('a batch that is withdrawn before its handler begins is passed over by kafkajs', () => {
  const gated = gateMessages(messages, 2, new LoopProbe(), { mayContinue: () => true, taken })
  const part = { partition: 0, highWatermark: '5', abortedTransactions: [], messages: gated.messages }
  const batch = new Batch('t', '0', part)
  expect(batch.isEmpty()).toBe(false)
  gated.withdraw()
  expect(batch.isEmptyDueToFiltering()).toBe(true)
  const early = gateMessages(messages, 2, new LoopProbe(), { mayContinue: () => true, taken })
  early.withdraw()
  expect(new Batch('t', '0', { ...part, messages: early.messages }).isEmpty()).toBe(true)
})

test('each message that is taken is told, whoever takes it', () => {
  takenCount = 0
  new Runner().handleBatch(batchOf(() => true))
  new Runner(batch => [...batch.messages]).handleBatch(batchOf(() => true))
  expect(takenCount).toBe(10)
})

test('the kind of handler is found out once for each run', () => {
  const probe = new LoopProbe()
  new Runner(() => {}).handleBatch(batchOf(() => true, probe))
  for (const _ of batchOf(() => false, probe).messages) break
  expect(new Runner().handleBatch(batchOf(() => false, probe))).toHaveLength(5)
  probe.forget()
  expect(new Runner().handleBatch(batchOf(() => false, probe))).toEqual([])
})
