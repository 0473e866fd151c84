/** A group by the broker's word. */
import { type Admin, AssignerProtocol } from 'kafkajs'
import { partitionKey } from './ledger'

export interface DescribedMember {
  memberId: string
  clientId: string
  assignment: Record<string, number[]>
}

/** The members of a stable group of this size, or what is not so yet. */
export async function stableMembers(admin: Admin, groupId: string, size: number): Promise<DescribedMember[] | string> {
  const [description] = (await admin.describeGroups([groupId])).groups
  if (description?.state !== 'Stable') return `the group is ${description?.state}`
  if (description.members.length !== size) return `the broker knows ${description.members.length} members`
  return description.members.map(({ memberId, clientId, memberAssignment }) => ({
    memberId,
    clientId,
    assignment: AssignerProtocol.MemberAssignment.decode(memberAssignment)?.assignment ?? {},
  }))
}

/** Who owns what, if every partition of the topics is owned exactly once; else what is not so. */
export async function completeOwnership(
  admin: Admin,
  topics: string[],
  members: { name: string; assignment: Record<string, number[]> }[],
): Promise<Map<string, string> | string> {
  const owners = new Map<string, string>()
  for (const { name, assignment } of members)
    for (const [topic, partitions] of Object.entries(assignment))
      for (const partition of partitions) {
        const key = partitionKey({ topic, partition })
        const other = owners.get(key)
        if (other !== undefined) return `${key} is owned by ${other} and ${name}`
        owners.set(key, name)
      }
  const metadata = await admin.fetchTopicMetadata({ topics })
  for (const { name, partitions } of metadata.topics)
    for (const { partitionId } of partitions) {
      const key = partitionKey({ topic: name, partition: partitionId })
      if (!owners.has(key)) return `nobody owns ${key}`
    }
  return owners
}

/** Records of a topic that the group has not committed. */
export async function committedLag(admin: Admin, groupId: string, topic: string): Promise<number> {
  const ends = new Map((await admin.fetchTopicOffsets(topic)).map(({ partition, high }) => [partition, Number(high)]))
  const [committed] = await admin.fetchOffsets({ groupId, topics: [topic] })
  return committed!.partitions.reduce(
    (sum, { partition, offset }) => sum + (ends.get(partition) ?? 0) - Math.max(0, Number(offset)),
    0,
  )
}
