import { AssignerProtocol, PartitionAssigners } from 'kafkajs'

/**
 * What kafkajs' own round robin would have done all along: planned by kafkajs itself for the same members, each time
 * from where it had put things before.
 */
export class RoundRobinShadow {
  private owners = new Map<number, string>()

  constructor(
    private readonly topic: string,
    private readonly partitions: number,
  ) {}

  /** @returns how many partitions it would have given to somebody else. */
  async step(memberIds: string[]): Promise<number> {
    const cluster = {
      findTopicPartitionMetadata: () => Array.from({ length: this.partitions }, (_, partitionId) => ({ partitionId })),
    }
    const assigner = PartitionAssigners.roundRobin({ cluster } as never)
    const members = memberIds.map(memberId => ({ memberId, memberMetadata: Buffer.alloc(0) }))
    const plan = await assigner.assign({ members, topics: [this.topic] } as never)
    const owners = new Map<number, string>()
    for (const { memberId, memberAssignment } of plan)
      for (const partition of AssignerProtocol.MemberAssignment.decode(memberAssignment)?.assignment[this.topic] ?? [])
        owners.set(partition, memberId)
    const moved = [...owners].filter(([partition, owner]) => this.owners.get(partition) !== owner).length
    this.owners = owners
    return moved
  }
}
