import type { GroupDescription } from 'kafkajs'
import { claimsOf, decodeAssignment, decodeSubscription, NameTable } from '../protocol'
import type { LiveMember } from './live-group'

/** What the members of a described group sent and got. Ascending by id. */
export function readMembers({ members, protocol }: GroupDescription): LiveMember[] {
  const names = new NameTable()
  const read = members.map(({ memberId, clientId, clientHost, memberMetadata, memberAssignment }): LiveMember => {
    const subscription = decodeSubscription(memberMetadata, names)
    return {
      memberId,
      clientId,
      host: clientHost,
      metadata: memberMetadata,
      subscription,
      claims: claimsOf(subscription, protocol, names),
      assignment: decodeAssignment(memberAssignment, names),
    }
  })
  return read.sort((a, b) => (a.memberId < b.memberId ? -1 : 1))
}
