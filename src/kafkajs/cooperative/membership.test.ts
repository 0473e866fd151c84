/** What a member sends, in which order, and what it makes of the answers. The test answers each request itself. */
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import type { Broker } from '../internals'
import { CommitSender } from './commit-sender'
import type { Coordinator } from './coordinator'
import { type Deferred, deferred, nextMacrotask } from './deferred'
import { Membership } from './membership'
import type { Round } from './membership-ports'

interface Request {
  readonly api: string
  readonly body: Record<string, unknown>
  readonly answer: Deferred<unknown>
}

const sessionTimeout = 6000
const config = { groupId: 'g', sessionTimeout, rebalanceTimeout: 20_000 }
const heartbeatMs = 500

let membership: Membership
/** What was sent and not looked at yet, oldest first. */
let sent: Request[]
/** What the rest of the gateway was told, in the order of time. */
let told: string[]
let rounds: Round[]
let failures: unknown[]
let owned: string
let stuck: boolean
let wanted: string | null
let plan: Deferred<[]>
let settled: Deferred<void>

/** Requests reach the test instead of a coordinator; passing errors are retried as they would be there. */
function scriptedCoordinator(): Coordinator {
  const broker = new Proxy({} as Broker, {
    get: (_, api: string) => (body: Record<string, unknown>) => {
      const answer = deferred<unknown>()
      sent.push({ api, body, answer })
      return answer.promise
    },
  })
  const use = <Answer>(call: (broker: Broker) => Promise<Answer>) => call(broker)
  const say = (what: string) => () => void told.push(what)
  return {
    join: use,
    request: use,
    persist: (_: number, call: (broker: Broker) => Promise<unknown>) => use(call),
    backOff: async (failures: number) => void told.push(`back off ${failures}`),
    dropJoins: say('drop joins'),
    open: () => {},
    close: () => {
      told.push('closed')
      for (const { answer } of sent) answer.reject(error('dropped', 'KafkaJSConnectionClosedError'))
    },
  } as unknown as Coordinator
}

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'queueMicrotask', 'nextTick'] })
  sent = []
  told = []
  rounds = []
  failures = []
  owned = ''
  stuck = false
  wanted = null
  plan = deferred()
  plan.resolve([])
  settled = deferred()
  settled.resolve()
  membership = new Membership(
    scriptedCoordinator(),
    {
      beforeJoin: () => settled.promise,
      protocol: () => ({ name: 'cooperative-sticky', metadata: Buffer.from(owned) }),
      plan: members => {
        told.push(`plan for ${members.length}`)
        return plan.promise
      },
      joined: () => void told.push('commits wait'),
      synced: round => {
        rounds.push(round)
        told.push(`synced ${round.generation}`)
      },
      unsynced: () => void told.push('commits go'),
      lost: reason => void told.push(`lost: ${reason}`),
      failed: error => void failures.push(error),
      wantsRejoin: () => {
        const reason = wanted
        wanted = null
        return reason
      },
      isStuck: () => stuck,
      unreachable: (_, failures) => void told.push(`unreachable ${failures}`),
    },
    () => heartbeatMs,
  )
})
afterEach(async () => {
  membership.halt()
  jest.useRealTimers()
})

function error(type: string, name = 'KafkaJSProtocolError'): Error {
  return Object.assign(new Error(type), { type, name })
}

const pass = async (ms = 0): Promise<void> => {
  await jest.advanceTimersByTimeAsync(ms)
  for (let i = 0; i < 3; i++) await nextMacrotask()
}

/** The next request, which must be of this kind; time passes until it comes. */
async function next(api: string, withinMs = heartbeatMs): Promise<Request> {
  for (let ms = 0; sent.length === 0 && ms <= withinMs; ms += 10) await pass(10)
  const request = sent.shift()
  expect(request?.api).toBe(api)
  return request!
}

/** The next request of this kind, past heartbeats, which are answered well. */
async function nextButBeats(api: string): Promise<Request> {
  for (;;) {
    for (let ms = 0; sent.length === 0 && ms <= 2000; ms += 10) await pass(10)
    const request = sent.shift()
    if (request?.api !== 'heartbeat' || api === 'heartbeat') {
      expect(request?.api).toBe(api)
      return request!
    }
    request.answer.resolve({})
  }
}

const joinedAs = (memberId: string, generationId: number, leaderId = 'leader', members: object[] = []) => ({
  memberId,
  generationId,
  leaderId,
  groupProtocol: 'cooperative-sticky',
  members,
})

async function answer(request: Request, value: unknown): Promise<void> {
  if (value instanceof Error) request.answer.reject(value)
  else request.answer.resolve(value)
  await pass()
}

const assignment = { memberAssignment: Buffer.from('assignment') }

/** Member `me` of generation 1, led by somebody else. */
async function inTheGroup(): Promise<void> {
  void membership.start(config)
  await answer(await next('joinGroup'), joinedAs('me', 1))
  await answer(await next('syncGroup'), assignment)
  told.length = 0
}

describe('a first join', () => {
  test('is JoinGroup, then SyncGroup; commits wait in between; then come heartbeats', async () => {
    const started = membership.start(config)
    const join = await next('joinGroup')
    expect(join.body).toMatchObject({ ...config, memberId: '', groupProtocols: [{ name: 'cooperative-sticky' }] })
    await answer(join, joinedAs('me', 3))
    const sync = await next('syncGroup')
    expect(sync.body).toEqual({ groupId: 'g', generationId: 3, memberId: 'me', groupAssignment: [] })
    expect(told).toEqual(['commits wait'])
    await answer(sync, assignment)
    await started
    expect(told).toEqual(['commits wait', 'synced 3', 'commits go'])
    expect(rounds[0]).toMatchObject({ memberId: 'me', generation: 3, reason: 'first join', afterLoss: false })
    expect((await next('heartbeat')).body).toEqual({ groupId: 'g', memberId: 'me', groupGenerationId: 3 })
    expect(membership.isLeader).toBe(false)
  })

  test('of the leader takes a plan, which commits wait for too', async () => {
    plan = deferred()
    void membership.start(config)
    await answer(await next('joinGroup'), joinedAs('me', 1, 'me', [{ memberId: 'me' }, { memberId: 'other' }]))
    expect(told).toEqual(['commits wait', 'plan for 2'])
    expect(sent).toEqual([])
    plan.resolve([])
    await answer(await next('syncGroup'), assignment)
    expect(membership.isLeader).toBe(true)
  })

  test('that can never succeed is told, and not repeated', async () => {
    void membership.start(config)
    const refusal = error('GROUP_AUTHORIZATION_FAILED')
    await answer(await next('joinGroup'), refusal)
    expect(failures).toEqual([refusal])
    await pass(5000)
    expect(sent).toEqual([])
  })
})

describe('a rebalance of others', () => {
  beforeEach(inTheGroup)

  test('is heard with a heartbeat: joins again with what it has, and heartbeats go on meanwhile', async () => {
    owned = 'orders-0'
    await answer(await next('heartbeat'), error('REBALANCE_IN_PROGRESS'))
    const join = await next('joinGroup')
    expect(join.body).toMatchObject({ memberId: 'me', groupProtocols: [{ metadata: Buffer.from('orders-0') }] })
    expect(told).toEqual([])
    // Parked at the coordinator: the others are still to join.
    const beat = await next('heartbeat')
    expect(beat.body).toMatchObject({ memberId: 'me', groupGenerationId: 1 })
    await answer(beat, error('REBALANCE_IN_PROGRESS'))
    await answer(join, joinedAs('me', 2))
    await answer(await nextButBeats('syncGroup'), assignment)
    expect(told).toEqual(['commits wait', 'synced 2', 'commits go'])
    expect(rounds.at(-1)).toMatchObject({ reason: 'the group is rebalancing', afterLoss: false })
  })

  test('that begins before SyncGroup is answered: joins again with the id that it was given', async () => {
    await answer(await next('heartbeat'), error('REBALANCE_IN_PROGRESS'))
    await answer(await next('joinGroup'), joinedAs('me', 2))
    await answer(await next('syncGroup'), error('REBALANCE_IN_PROGRESS'))
    expect(told).toEqual(['commits wait', 'commits go'])
    const again = await nextButBeats('joinGroup')
    expect(again.body.memberId).toBe('me')
    await answer(again, joinedAs('me', 3))
    await answer(await nextButBeats('syncGroup'), assignment)
    expect(rounds.map(({ generation }) => generation)).toEqual([1, 3])
  })

  test('a new member keeps its id though its first SyncGroup was refused: another would leave a ghost', async () => {
    membership.halt()
    membership.memberId = ''
    sent.length = 0
    void membership.start(config)
    await answer(await next('joinGroup'), joinedAs('new', 2))
    await answer(await next('syncGroup'), error('REBALANCE_IN_PROGRESS'))
    expect((await nextButBeats('joinGroup')).body.memberId).toBe('new')
  })

  test('waits a moment for what is just being handed over', async () => {
    settled = deferred()
    owned = 'orders-0,orders-1'
    await answer(await next('heartbeat'), error('REBALANCE_IN_PROGRESS'))
    await pass(100)
    expect(sent.every(({ api }) => api === 'heartbeat')).toBe(true)
    owned = 'orders-0'
    settled.resolve()
    expect((await nextButBeats('joinGroup')).body.groupProtocols).toMatchObject([{ metadata: Buffer.from('orders-0') }])
  })
})

describe('one JoinGroup is under way at a time', () => {
  beforeEach(inTheGroup)

  test('what is asked for meanwhile is one more round, afterwards', async () => {
    void membership.join('first reason')
    const join = await nextButBeats('joinGroup')
    void membership.join('second reason')
    void membership.join('third reason')
    await answer(join, joinedAs('me', 2))
    await answer(await nextButBeats('syncGroup'), assignment)
    await answer(await nextButBeats('joinGroup'), joinedAs('me', 3))
    await answer(await nextButBeats('syncGroup'), assignment)
    expect(rounds.map(({ reason }) => reason)).toEqual(['first join', 'first reason', 'second reason'])
    for (let i = 0; i < 10; i++) await answer(await next('heartbeat'), {})
  })

  test('a reason that comes before the metadata are read needs no round of its own', async () => {
    settled = deferred()
    void membership.join('first reason')
    void membership.join('second reason')
    settled.resolve()
    await answer(await nextButBeats('joinGroup'), joinedAs('me', 2))
    await answer(await nextButBeats('syncGroup'), assignment)
    for (let i = 0; i < 10; i++) await answer(await next('heartbeat'), {})
  })

  test('what this member wants itself begins with a heartbeat, once', async () => {
    wanted = 'topic orders went from 2 to 4 partitions'
    const join = await nextButBeats('joinGroup')
    await answer(join, joinedAs('me', 2))
    await answer(await nextButBeats('syncGroup'), assignment)
    expect(rounds.at(-1)!.reason).toBe('topic orders went from 2 to 4 partitions')
    for (let i = 0; i < 10; i++) await answer(await next('heartbeat'), {})
  })

  test('what this member wants itself needs no round of its own where one is due anyway', async () => {
    const beat = await next('heartbeat')
    wanted = 'topic orders went from 2 to 4 partitions'
    await answer(beat, error('REBALANCE_IN_PROGRESS'))
    await answer(await nextButBeats('joinGroup'), joinedAs('me', 2))
    await answer(await nextButBeats('syncGroup'), assignment)
    for (let i = 0; i < 10; i++) await answer(await next('heartbeat'), {})
    expect(rounds.map(({ generation }) => generation)).toEqual([1, 2])
  })

  test('what this member wants after its JoinGroup is covered by a plan of its own only', async () => {
    await answer(await next('heartbeat'), error('REBALANCE_IN_PROGRESS'))
    const following = await nextButBeats('joinGroup')
    wanted = 'topic orders went from 2 to 4 partitions'
    await answer(following, joinedAs('me', 2))
    await answer(await nextButBeats('syncGroup'), assignment)
    const leading = await nextButBeats('joinGroup')
    wanted = 'topic orders went from 4 to 8 partitions'
    await answer(leading, joinedAs('me', 3, 'me'))
    await answer(await nextButBeats('syncGroup'), assignment)
    for (let i = 0; i < 10; i++) await answer(await next('heartbeat'), {})
    expect(rounds.map(({ generation }) => generation)).toEqual([1, 2, 3])
  })
})

describe('a commit that was refused since a round has overtaken it', () => {
  beforeEach(inTheGroup)

  const answers: (boolean | undefined)[] = []
  const refuse = () => {
    const sender = new CommitSender(scriptedCoordinator(), membership, () => failures.length > 0)
    const refused = { error: error('ILLEGAL_GENERATION'), generation: 1, attempt: 1, since: Date.now() }
    answers.length = 0
    void sender.mayRetry(refused).then(answer => answers.push(answer))
  }

  test('is sent again when that round is over, though the next one begins at once', async () => {
    void membership.join('first reason')
    const join = await nextButBeats('joinGroup')
    void membership.join('second reason')
    refuse()
    await answer(join, joinedAs('me', 2))
    expect(answers).toEqual([])
    await answer(await nextButBeats('syncGroup'), assignment)
    // Parked, for as long as the slowest member takes: a handler that waits for its commit would stand still.
    await nextButBeats('joinGroup')
    expect(answers).toEqual([true])
  })

  test('is sent again at once when that round is over already, though the next one is under way', async () => {
    void membership.join('first reason')
    await answer(await nextButBeats('joinGroup'), joinedAs('me', 2))
    await answer(await nextButBeats('syncGroup'), assignment)
    void membership.join('second reason')
    await nextButBeats('joinGroup')
    refuse()
    await pass()
    expect(answers).toEqual([true])
  })

  test('waits for the next membership when this one is lost', async () => {
    await answer(await nextButBeats('heartbeat'), error('ILLEGAL_GENERATION'))
    const join = await nextButBeats('joinGroup')
    refuse()
    await pass()
    expect(answers).toEqual([])
    await answer(join, joinedAs('me', 2))
    await answer(await nextButBeats('syncGroup'), assignment)
    expect(answers).toEqual([true])
  })

  test('is sent again when the round ends without an assignment', async () => {
    void membership.join('a reason')
    const join = await nextButBeats('joinGroup')
    refuse()
    await answer(join, joinedAs('me', 2))
    await answer(await nextButBeats('syncGroup'), error('REBALANCE_IN_PROGRESS'))
    await nextButBeats('joinGroup')
    expect(answers).toEqual([true])
  })

  test('is not when the join has failed for good', async () => {
    void membership.join('a reason')
    const join = await nextButBeats('joinGroup')
    refuse()
    await answer(join, error('GROUP_AUTHORIZATION_FAILED'))
    expect(answers).toEqual([false])
  })
})

describe('a lost membership', () => {
  beforeEach(inTheGroup)

  test('ILLEGAL_GENERATION: all is lost; joins again under the same id', async () => {
    await answer(await next('heartbeat'), error('ILLEGAL_GENERATION'))
    expect(told).toEqual(['lost: the coordinator answered ILLEGAL_GENERATION'])
    const join = await next('joinGroup')
    expect(join.body.memberId).toBe('me')
    await answer(join, joinedAs('me', 7))
    await answer(await nextButBeats('syncGroup'), assignment)
    expect(rounds.at(-1)).toMatchObject({ generation: 7, afterLoss: true })
  })

  test('UNKNOWN_MEMBER_ID: all is lost; joins again as a new member, and sends no heartbeat before it is one', async () => {
    await answer(await next('heartbeat'), error('UNKNOWN_MEMBER_ID'))
    const join = await next('joinGroup')
    expect(join.body.memberId).toBe('')
    await pass(3000)
    expect(sent).toEqual([])
    await answer(join, joinedAs('other', 7))
    await answer(await nextButBeats('syncGroup'), assignment)
    expect(rounds.at(-1)).toMatchObject({ memberId: 'other', afterLoss: true })
    expect(told.filter(each => each.startsWith('lost'))).toHaveLength(1)
  })

  test('is also heard from JoinGroup and SyncGroup', async () => {
    void membership.join('test')
    await answer(await nextButBeats('joinGroup'), error('UNKNOWN_MEMBER_ID'))
    const second = await nextButBeats('joinGroup')
    expect(second.body.memberId).toBe('')
    await answer(second, joinedAs('other', 2))
    await answer(await nextButBeats('syncGroup'), error('ILLEGAL_GENERATION'))
    expect((await nextButBeats('joinGroup')).body.memberId).toBe('other')
    expect(told.filter(each => each.startsWith('lost'))).toEqual([
      'lost: the coordinator answered UNKNOWN_MEMBER_ID',
      'lost: the coordinator answered ILLEGAL_GENERATION',
    ])
  })

  test('is not concluded from the refusal of a request that an ordinary round has overtaken', async () => {
    const beat = await next('heartbeat')
    void membership.join('test')
    await answer(await next('joinGroup'), joinedAs('me', 2))
    await answer(beat, error('ILLEGAL_GENERATION'))
    await answer(await nextButBeats('syncGroup'), assignment)
    expect(membership.refused(error('ILLEGAL_GENERATION'), 1)).toBe(true)
    expect(told).toEqual(['commits wait', 'synced 2', 'commits go'])
    expect(membership.isJoining).toBe(false)
  })

  test('a commit’s refusal in the present generation is the loss that it says, an error of another kind is none', async () => {
    expect(membership.refused(error('TOPIC_AUTHORIZATION_FAILED'), 1)).toBe(false)
    expect(membership.refused(error('UNKNOWN_MEMBER_ID'), 1)).toBe(true)
    expect(told).toEqual(['lost: the coordinator answered UNKNOWN_MEMBER_ID'])
    expect(membership.isJoining).toBe(true)
  })

  test('the lease ends with the session after the last answer, and an answer renews it', async () => {
    for (let ms = 0; ms < 2 * sessionTimeout; ms += heartbeatMs) await answer(await next('heartbeat'), {})
    expect(membership.leaseHolds).toBe(true)
    await pass(2 * sessionTimeout)
    expect(membership.leaseHolds).toBe(false)
    await answer(await next('heartbeat'), {})
    // It counts from when the heartbeat was sent.
    expect(membership.leaseHolds).toBe(false)
    await answer(await next('heartbeat'), {})
    expect(membership.leaseHolds).toBe(true)
  })
})

describe('a coordinator that cannot be reached', () => {
  beforeEach(inTheGroup)

  test.each([
    ['has moved', error('NOT_COORDINATOR_FOR_GROUP')],
    ['is loading the group', error('GROUP_LOAD_IN_PROGRESS')],
    ['closes the connection under a parked JoinGroup', error('closed', 'KafkaJSConnectionClosedError')],
  ])('%s: drops the connection, waits, and joins again under the same id; nothing is lost', async (_, failure) => {
    void membership.join('test')
    await answer(await nextButBeats('joinGroup'), failure)
    await answer(await nextButBeats('joinGroup'), failure)
    expect(told).toEqual(['unreachable 1', 'drop joins', 'back off 1', 'unreachable 2', 'drop joins', 'back off 2'])
    const join = await nextButBeats('joinGroup')
    expect(join.body.memberId).toBe('me')
    await answer(join, joinedAs('me', 2))
    await answer(await nextButBeats('syncGroup'), assignment)
    expect(rounds.at(-1)).toMatchObject({ generation: 2, afterLoss: false })
  })

  test('at SyncGroup: commits go on meanwhile', async () => {
    void membership.join('test')
    await answer(await nextButBeats('joinGroup'), joinedAs('me', 2))
    await answer(await nextButBeats('syncGroup'), error('NOT_COORDINATOR_FOR_GROUP'))
    expect(told.slice(0, 2)).toEqual(['commits wait', 'commits go'])
    expect((await nextButBeats('joinGroup')).body.memberId).toBe('me')
  })

  test('at a heartbeat: the next one is due as usual, and nothing else happens', async () => {
    await answer(await next('heartbeat'), error('closed', 'KafkaJSConnectionClosedError'))
    await next('heartbeat')
    expect(told).toEqual([])
    expect(failures).toEqual([])
  })
})

describe('a consumer that makes no progress', () => {
  beforeEach(inTheGroup)

  test('leaves by itself, is silent, and comes back when it is told to', async () => {
    stuck = true
    const leave = await next('leaveGroup')
    expect(leave.body).toEqual({ groupId: 'g', memberId: 'me' })
    await answer(leave, {})
    expect(told).toEqual(['lost: no progress within maxPollIntervalMs'])
    expect(membership.state).toBe('expired')
    await pass(5000)
    expect(sent).toEqual([])
    stuck = false
    void membership.join('the handlers go on')
    expect((await next('joinGroup')).body.memberId).toBe('')
  })

  test('takes part in a rebalance that is under way', async () => {
    void membership.join('test')
    const join = await nextButBeats('joinGroup')
    stuck = true
    await answer(await next('heartbeat'), {})
    expect(membership.state).toBe('in')
    await answer(join, joinedAs('me', 2))
  })
})

describe('the end', () => {
  test('leaves the group, then closes the connections', async () => {
    await inTheGroup()
    membership.halt()
    const left = membership.leave()
    await pass()
    await answer(sent.find(({ api }) => api === 'leaveGroup')!, {})
    await left
    expect(told).toEqual(['closed'])
    expect(membership.memberId).toBe('')
    expect(jest.getTimerCount()).toBe(0)
  })

  test('while JoinGroup is parked: it is left alone, and its late end has no effect', async () => {
    await inTheGroup()
    void membership.join('test')
    const join = await nextButBeats('joinGroup')
    sent.push(join)
    membership.halt()
    const left = membership.leave()
    await pass()
    await answer(sent.find(({ api }) => api === 'leaveGroup')!, {})
    await left
    expect(told).toEqual(['closed'])
    expect(rounds).toHaveLength(1)
    expect(failures).toEqual([])
  })

  test('while the first JoinGroup is parked: waits a moment for its member id, to take that out of the group', async () => {
    void membership.start(config)
    const join = await next('joinGroup')
    sent.push(join)
    membership.halt()
    const left = membership.leave()
    await pass(40)
    expect(sent.map(({ api }) => api)).toEqual(['joinGroup'])
    // What MEMBER_ID_REQUIRED brings, long before the answer.
    membership.memberId = 'promised'
    await pass(40)
    const leave = sent.find(({ api }) => api === 'leaveGroup')!
    expect(leave.body).toEqual({ groupId: 'g', memberId: 'promised' })
    await answer(leave, {})
    await left
    expect(rounds).toEqual([])
  })

  test.each([
    ['keeps its id if the coordinator could not be told', error('closed', 'KafkaJSConnectionClosedError'), 'me'],
    ['forgets it if the coordinator knows it no more', error('UNKNOWN_MEMBER_ID'), ''],
  ])('%s', async (_, failure, memberId) => {
    await inTheGroup()
    membership.halt()
    const left = membership.leave()
    await pass()
    await answer(sent.find(({ api }) => api === 'leaveGroup')!, failure)
    await left
    expect(membership.memberId).toBe(memberId)
  })
})
