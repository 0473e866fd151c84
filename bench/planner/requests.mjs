/** A group of the bench in the forms in which the planner's users have it. */
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
export const planner = require('../../dist/planner-entry.js')
const protocol = require('../../dist/protocol/index.js')
const { readGroupInput } = require('../../dist/kafkajs/group-input.js')
const { encodePlan, planRequest } = require('../../dist/kafkajs/group-plan.js')
/** How a leader lets its other work go on. */
export const { pause } = require('../../dist/kafkajs/turns.js')

/** The text of a `plan` request; parsed anew for each run, the objects are as fresh as on the command line. */
export function requestText(group, strategy) {
  const names = group.topics.map(({ name }) => name)
  return JSON.stringify({
    strategy,
    topics: Object.fromEntries(group.topics.map(({ name, partitions }) => [name, partitions])),
    members: group.members.map(({ id, topics, owned }) => ({
      memberId: id,
      topics: topics.map(topic => names[topic]),
      owned: Object.fromEntries(owned.map(([topic, partitions]) => [names[topic], partitions])),
      generation: owned.length > 0 ? group.generation : null,
    })),
  })
}

/** What a JoinGroup answer holds: the members' subscriptions as bytes. */
export function joinGroupMembers(group, strategy) {
  const names = group.topics.map(({ name }) => name)
  return group.members.map(({ id, topics, owned }) => {
    const claims = owned.map(([topic, partitions]) => ({ topic: names[topic], partitions }))
    const generation = owned.length > 0 ? group.generation : -1
    const eager = strategy === 'sticky'
    const bytes = protocol.encodeSubscription({
      topics: topics.map(topic => names[topic]),
      userData: eager && owned.length > 0 ? protocol.encodeStickyUserData(claims, generation) : null,
      ownedPartitions: eager ? [] : claims,
      generationId: generation,
    })
    return { memberId: id, memberMetadata: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) }
  })
}

/** What the leader does between the JoinGroup answer and the SyncGroup request, with the modules that do it. */
export async function planBytes(members, strategy, topicStates) {
  const input = await readGroupInput(members, strategy)
  return encodePlan(await planner.planInSlices(planRequest(strategy, input, topicStates), pause))
}

/** The topics as the leader knows them from Metadata. */
export const topicStates = group =>
  new Map(group.topics.map(({ name, partitions }) => [name, { racks: new Array(partitions) }]))

/** A plan as lists by topic index in the group's order of members, for the judge. */
export function answerOf(group, plan) {
  const index = new Map(group.topics.map(({ name }, i) => [name, i]))
  return group.members.map(({ id }) =>
    plan.assignment(id).map(({ topic, partitions }) => [index.get(topic), partitions]),
  )
}
