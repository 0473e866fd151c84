/** How long stop() takes while the coordinator keeps the consumer's JoinGroup waiting, and when it is out of the group. */
import type { Group } from '../../integration/support/group'
import type { RunningKafka } from '../../integration/support/kafka'
import type { Member } from '../../integration/support/member'
import { now, sleep, until } from '../../integration/support/wait'
import { addMembers, type Candidate, type Times } from '../live/candidates'
import { startGroup } from './life'

export const times: Times = { session: 6000, heartbeat: 500, maxWait: 500 }
/** A member hears of the rebalance by its next heartbeat, and joins. */
const parkedMs = 3 * times.heartbeat

export interface Stop {
  /** Until stop() has returned. */
  returned: number
  /** Until the coordinator did not name it any more; null where it became a member although it had been stopped. */
  left: number | null
}

export interface Stops {
  candidate: string
  /** Of a consumer that was in the group. */
  again: Stop[]
  /** Of one that joined for the first time. */
  first: Stop[]
}

/** `a` does not come to the rebalance, so the coordinator waits for the end of its session; `b` and a new one stop meanwhile. */
export async function stopsOf(kafka: RunningKafka, candidate: Candidate, runs: number): Promise<Stops> {
  const topic = `stop-joining-${candidate.id}`
  const group = await startGroup(kafka, topic)
  const add = async (name: string) => (await addMembers(group, candidate, times, { names: [name] }))[0]!
  const stops: Stops = { candidate: candidate.id, again: [], first: [] }
  try {
    const [a, b] = await Promise.all([add('a'), add('b')])
    await group.settled({ everyMs: 200 })
    for (let run = 1; run <= runs; run++) {
      a.pause()
      const joiner = await add(`c${run}`)
      await until('that the group rebalances', async () => (await describe(group)).state === 'PreparingRebalance')
      await sleep(parkedMs)
      const { state } = await describe(group)
      if (state !== 'PreparingRebalance') throw new Error(`${topic}: nobody waits, the group is ${state}`)
      const [again, first] = await Promise.all([stop(group, b), stop(group, joiner)])
      stops.again.push(again)
      stops.first.push(first)
      // Some consumers do not end when they are stopped as they join.
      await joiner.kill()
      a.resume()
      b.run()
      await group.settled({ everyMs: 200 })
    }
    return stops
  } finally {
    await group.close()
  }
}

async function stop(group: Group, member: Member): Promise<Stop> {
  const from = now()
  let returned: number | undefined
  const gone = until(
    `that ${member.name} is out of the group`,
    async () => {
      const stopped = returned !== undefined
      const { state, members } = await describe(group)
      if (members.every(({ clientId }) => clientId !== member.name)) return { left: now() - from }
      return stopped && state === 'Stable' && { left: null }
    },
    { everyMs: 10 },
  )
  await member.stop()
  returned = now() - from
  return { returned, ...(await gone) }
}

async function describe(group: Group) {
  const [description] = (await group.admin.describeGroups([group.groupId])).groups
  return description!
}
