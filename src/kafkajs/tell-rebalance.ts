import { assignmentLine, rebalanceLine } from '../report/log-lines'
import type { RebalanceReport } from '../report/rebalance-report'
import { describeError } from './callbacks'
import type { ConsumerSession } from './consumer-session'

/** How long a report's reader is watched for an error. */
const readerMs = 30_000

/**
 * The lines of one rebalance, its numbers, and the user's onRebalance: a report is news, the group does not wait for its reader.
 * Never throws: kafkajs would end the consumer for good.
 */
export function tellRebalance(session: ConsumerSession, report: RebalanceReport): void {
  const { log, callbacks, options, groupId, telemetry } = session
  try {
    if (report.plan) {
      const { fields, message } = rebalanceLine(report, report.plan)
      log.info(fields, message)
    }
    const { fields, message } = assignmentLine(report)
    log.info(fields, message)
  } catch (error) {
    log.error({ event: 'report-failed', groupId, error: describeError(error) }, 'A rebalance could not be described')
  }
  telemetry.rebalanced(report)
  void callbacks.run('onRebalance', options.onRebalance, report, readerMs)
}
