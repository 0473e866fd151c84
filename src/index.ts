export { type ErrorCode, StickyAssignorError } from './errors'
