export { ClusterError, type ClusterErrorCode } from './cluster-error'
export { type ClusterConnection, connectCluster } from './connection'
export { Deadline } from './deadline'
export type { LiveGroup, LiveMember, LiveTopic, PartitionOffsets } from './live-group'
export { readGroup } from './read-group'
export {
  type ClusterSettings,
  type SaslMechanism,
  type SaslSettings,
  saslMechanisms,
  type TlsSettings,
} from './settings'
