export { type AssignmentFields, decodeAssignment, encodeAssignment } from './assignment'
export { canonicalPartitions } from './canonical'
export { claimsOf, type MemberClaims } from './claims'
export { NameTable } from './names'
export { decodeSubscription, encodeSubscription, type ProtocolVersion, type SubscriptionFields } from './subscription'
export {
  type Assignment,
  describeProblem,
  type Problem,
  type ProblemReason,
  type Subscription,
  type TopicPartitions,
} from './types'
export {
  decodeCooperativeUserData,
  decodeStickyUserData,
  encodeCooperativeUserData,
  encodeStickyUserData,
  type StickyLayout,
  type StickyUserData,
} from './user-data'
