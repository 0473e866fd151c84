/**
 * A service changes its assigners while it runs, one member at a time, as a rolling deploy does: at every step the group
 * has one protocol that all members know, a complete plan, and loses no record.
 */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { Group, type Settled } from './support/group'
import { type RunningKafka, startKafka } from './support/kafka'

const roundRobin = 'kafkajs-roundrobin'
let kafka: RunningKafka
let group: Group

beforeAll(async () => {
  kafka = await startKafka()
})
afterAll(() => kafka?.remove())
afterEach(() => group?.close())

async function start(topic: string, partitions: number, assigners: string[]): Promise<void> {
  group = await Group.start(kafka, { topics: { [topic]: partitions }, assigners })
}

/** Ends one member as a deploy does, and starts its successor when the others have taken over. */
async function replace(old: string, successor: string, assigners: string[]): Promise<{ gone: Settled; back: Settled }> {
  await group.member(old).terminate()
  const gone = await group.settled()
  await group.addWith(successor, { assigners })
  return { gone, back: await group.settled() }
}

test('[roundRobin] → [sticky, roundRobin] → [sticky] with traffic', async () => {
  await start('rollout', 12, [roundRobin])
  await group.add('a1', 'b1', 'c1')
  expect((await group.settled()).protocol).toBe('RoundRobinAssigner')

  const both = ['sticky', roundRobin]
  expect((await replace('a1', 'a2', both)).back.protocol).toBe('RoundRobinAssigner')
  expect((await replace('b1', 'b2', both)).back.protocol).toBe('RoundRobinAssigner')
  // With the last old member gone the partitions stay where round robin had put them.
  const { gone } = await replace('c1', 'c2', both)
  expect(gone.protocol).toBe('sticky')
  expect(gone.rebalance).toMatchObject({ moved: 4, transferred: 0 })

  for (const name of ['a', 'b', 'c']) {
    const { gone, back } = await replace(`${name}2`, `${name}3`, ['sticky'])
    expect([gone.protocol, back.protocol]).toEqual(['sticky', 'sticky'])
    // What the member owned, and as much again for its successor.
    expect([gone.moved, back.moved]).toEqual([4, 4])
  }
  await group.nothingLost()
  expect(group.ledger.needlessDuplicates()).toEqual([])
})

test('B24: the first sticky plan keeps what round robin had assigned', async () => {
  await start('b24', 4, ['sticky', roundRobin])
  await group.addWith('old', { assigners: [roundRobin] })
  await group.add('new1')
  const before = await group.settled()
  expect(before.protocol).toBe('RoundRobinAssigner')

  // Killed, not ended: the broker waits for it, so that its successor takes part in the first round without it.
  await group.member('old').kill()
  await group.add('new2')
  const after = await group.settled()
  expect(after.protocol).toBe('sticky')
  expect(after.rebalance).toMatchObject({ transferred: 0 })
  for (const [key, owner] of before.owners) expect(after.owners.get(key)).toBe(owner === 'old' ? 'new2' : owner)
  await group.nothingLost()
})

test('B69: lists are toggled in every order, and each sticky plan is complete', async () => {
  const lists = [[roundRobin], ['sticky', roundRobin], ['sticky']]
  await start('b69', 6, ['sticky', roundRobin])
  // Positions in `lists` of two members; a pair without a common protocol cannot be one group.
  const walk = [
    [0, 0],
    [1, 0],
    [1, 1],
    [2, 1],
    [2, 2],
    [1, 2],
    [1, 1],
    [0, 1],
    [0, 0],
  ] as const
  let previous: readonly [number, number] | undefined
  for (const [step, pair] of walk.entries()) {
    for (const member of [0, 1] as const) {
      if (previous?.[member] === pair[member]) continue
      const last = [...group.members.values()].filter(each => each.running && each.name.startsWith(`m${member}`))
      for (const each of last) await each.terminate()
      await group.addWith(`m${member}-${step}`, { assigners: lists[pair[member]]! })
    }
    const { protocol, owners } = await group.settled()
    expect(owners.size).toBe(6)
    if (Math.max(...pair) === 2) expect(protocol).toBe('sticky')
    if (Math.min(...pair) === 0) expect(protocol).toBe('RoundRobinAssigner')
    previous = pair
  }
  await group.nothingLost()
})

test('B90: from [roundRobin, sticky] to [sticky, roundRobin], a restart moves at most what the pod owned', async () => {
  await start('b90', 12, [roundRobin, 'sticky'])
  await group.add('a1', 'b1', 'c1')
  expect((await group.settled()).protocol).toBe('RoundRobinAssigner')
  for (const name of ['a', 'b', 'c']) await replace(`${name}1`, `${name}2`, ['sticky', roundRobin])
  expect((await group.settled()).protocol).toBe('sticky')
  for (const name of ['a', 'b', 'c']) {
    const { gone, back } = await replace(`${name}2`, `${name}3`, ['sticky', roundRobin])
    expect(gone.rebalance).toMatchObject({ moved: 4, transferred: 0 })
    expect(back.rebalance).toMatchObject({ moved: 4, transferred: 4 })
  }
  expect([...group.members.values()].flatMap(({ crashes, failures }) => [...crashes, ...failures])).toEqual([])
  await group.nothingLost()
})

test('[sticky, custom]: a group falls back to an assigner of its own while an old member knows nothing else', async () => {
  await start('custom', 6, ['sticky', 'custom'])
  await group.addWith('old', { assigners: ['custom'] })
  await group.add('a')
  expect((await group.settled()).protocol).toBe('custom')
  await group.member('old').terminate()
  await group.add('b')
  const sticky = await group.settled()
  expect(sticky.protocol).toBe('sticky')
  await group.add('c')
  expect((await group.settled()).rebalance).toMatchObject({ moved: 2, minimumMoves: 2 })
  await group.nothingLost()
})
