import type { Steps, Work } from '../steps'
import { type KafkaGroup, NOBODY, type Owners } from './group'
import { hashOrder } from './java-hash'
import { readClaims } from './kafka-claims'
import { assignConstrained, type KafkaAssignment } from './kafka-constrained'
import { assignGeneral } from './kafka-general'
import { racksMatter } from './racks'

/**
 * The plan of Kafka's StickyAssignor, to compare with: partition by partition what the Java classes (3.9 and 4.3) give,
 * also where that is not the best, depends on hash codes, or is wrong:
 * - a partition may go to a member that does not subscribe it, if it comes first with an empty subscription, or had
 *   claimed the partition in an older generation;
 * - a claim on a partition that was once tied stays disputed when a newer claim follows.
 *
 * Members are taken to tell the generation of their claims in the subscription, as Java clients do since 3.4; of claims
 * of older clients Kafka believes the one that comes last.
 *
 * Where Java would throw there is an answer here: claims on partitions that do not exist are left out, and a previous
 * owner that takes no part in balancing gets nothing back.
 */
export function* kafkaSticky(group: KafkaGroup, steps: Steps): Work<Owners> {
  return (yield* assign(group, steps)).owners
}

/** What Kafka's CooperativeStickyAssignor sends: its plan, less what another member has to give up first. */
export function* kafkaCooperativeSticky(
  group: KafkaGroup,
  steps: Steps,
): Work<{ owners: Owners; transferring: ReadonlyMap<number, number> }> {
  const plan = yield* assign(group, steps)
  const transferring = plan.transferring ?? changingHands(group, plan.owners)
  const owners = plan.owners.slice()
  for (const p of transferring.keys()) owners[p] = NOBODY
  return { owners, transferring }
}

function* assign(group: KafkaGroup, steps: Steps): Work<KafkaAssignment> {
  if (group.members.length === 0) return { owners: new Int32Array(0), transferring: new Map() }
  const order = hashOrder(group.members.map(member => member.memberId))
  const claims = yield* readClaims(group, order, steps)
  const racks =
    group.racks !== null &&
    racksMatter(
      group.members.map(member => member.rack),
      group.racks,
    )
  return yield* (claims.uniform ? assignConstrained : assignGeneral)(group, order, claims, racks, steps)
}

/** Partitions that their new owner has not claimed and some other member has, whatever the generation. */
function changingHands(group: KafkaGroup, owners: Owners): Map<number, number> {
  const claimedByOwner = new Set<number>()
  const claimedByOther = new Set<number>()
  group.members.forEach((member, m) => {
    for (const p of member.claims) (owners[p] === m ? claimedByOwner : claimedByOther).add(p)
  })
  return new Map([...claimedByOther].filter(p => !claimedByOwner.has(p)).map(p => [p, owners[p]!]))
}
