import { StickyAssignorError } from '../errors'
import { plan } from '../planner'
import { answerOf, type PlanAnswer } from './answer'
import { readRequest } from './read-request'

export type { Strategy } from '../planner/types'
export type { PartitionsByTopic, PlanAnswer } from './answer'
export { type MetadataProblem, strategies } from './read-request'

/**
 * Plans a group without touching it: answers one request of `kafkajs-sticky-assignor plan`.
 *
 * @param request JSON text, or what JSON.parse made of it: strategy, topics and members, each member in fields or with
 *   the bytes that it sends in JoinGroup. docs/dry-run.md describes request and answer.
 * @throws StickyAssignorError with code STICKY_ERR_INVALID_REQUEST and the field at fault, if the request is not one.
 */
export function planRequest(request: unknown): PlanAnswer {
  const {
    request: group,
    reasons,
    metadataProblems,
  } = readRequest(typeof request === 'string' ? parse(request) : request)
  const start = performance.now()
  const result = plan(group)
  const planMs = Math.round((performance.now() - start) * 1000) / 1000
  return answerOf(result, metadataProblems, reasons, planMs)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const message = `request: expected JSON, got ${(error as Error).message}`
    throw new StickyAssignorError('STICKY_ERR_INVALID_REQUEST', 'request', message)
  }
}
