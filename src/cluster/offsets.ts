import type { Admin } from 'kafkajs'

/** Committed offsets by topic and partition. */
export type Committed = ReadonlyMap<string, ReadonlyMap<number, number>>

/** Everything that the group has committed. */
export async function readCommitted(admin: Admin, groupId: string): Promise<Committed> {
  const committed = new Map<string, Map<number, number>>()
  // Without topics the broker names those of the group; kafkajs' types ask for them all the same.
  const answer = await admin.fetchOffsets({ groupId } as Parameters<Admin['fetchOffsets']>[0])
  for (const { topic, partitions } of answer) {
    const offsets = partitions.map(({ partition, offset }) => [partition, Number(offset)] as const)
    committed.set(topic, new Map(offsets.filter(([, offset]) => offset >= 0)))
  }
  return committed
}

/** Where each partition ends, by topic. What `failed` is told is left out. */
export async function readEnds(
  admin: Admin,
  topics: readonly string[],
  failed: (topic: string, error: unknown) => void,
): Promise<Map<string, ReadonlyMap<number, number>>> {
  const ends = new Map<string, ReadonlyMap<number, number>>()
  const waiting = [...topics]
  const worker = async () => {
    for (let topic = waiting.shift(); topic !== undefined; topic = waiting.shift()) {
      try {
        const offsets = await admin.fetchTopicOffsets(topic)
        ends.set(topic, new Map(offsets.map(({ partition, high }) => [partition, Number(high)])))
      } catch (error) {
        failed(topic, error)
      }
    }
  }
  await Promise.all(Array.from({ length: 4 }, worker))
  return ends
}
