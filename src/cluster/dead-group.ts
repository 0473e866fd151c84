import type { Admin } from 'kafkajs'
import { ClusterError } from './cluster-error'
import { failureOf } from './failure'

const listed = 20

/**
 * Why a group is described as `Dead`: to the version of the request that kafkajs speaks, brokers say so of a group that
 * does not exist and of one that the request cannot show.
 */
export async function whyDead(admin: Admin, groupId: string): Promise<ClusterError> {
  const name = JSON.stringify(groupId)
  let groups: { groupId: string; protocolType: string }[]
  try {
    groups = (await admin.listGroups()).groups
  } catch (error) {
    const { type, message } = failureOf(error)
    const doubt = `no group ${name}, or one of the new consumer protocol (KIP-848); the groups cannot be listed`
    return new ClusterError('STICKY_ERR_NO_SUCH_GROUP', `${doubt}: ${type ?? message}`)
  }
  const found = groups.find(group => group.groupId === groupId)
  if (found?.protocolType === 'consumer') {
    return otherGroup(
      groupId,
      'it has members of the new consumer protocol (KIP-848), whose partitions the broker assigns: no plan of a leader applies. kafka-consumer-groups.sh --describe shows it',
    )
  }
  if (found) return otherGroup(groupId, `it is of the type ${JSON.stringify(found.protocolType)}`)
  const others = groups.filter(({ protocolType }) => protocolType === 'consumer').map(group => group.groupId)
  return new ClusterError('STICKY_ERR_NO_SUCH_GROUP', `no group ${name}; ${listing(others.sort())}`)
}

export function otherGroup(groupId: string, why: string): ClusterError {
  return new ClusterError('STICKY_ERR_OTHER_GROUP', `group ${JSON.stringify(groupId)} cannot be inspected: ${why}`)
}

function listing(groups: readonly string[]): string {
  if (groups.length === 0) return 'the cluster shows no groups of consumers'
  const shown = groups.slice(0, listed).map(group => JSON.stringify(group))
  return `the cluster shows ${shown.join(', ')}${groups.length > listed ? ` and ${groups.length - listed} more` : ''}`
}
