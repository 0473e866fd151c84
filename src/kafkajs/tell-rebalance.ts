import { assignmentLine, rebalanceLine } from '../report/log-lines'
import type { RebalanceReport } from '../report/rebalance-report'
import type { ConsumerSession } from './consumer-session'

/** How long a report's reader is watched for an error. */
const readerMs = 30_000

/** The lines of one rebalance, and the user's onRebalance: a report is news, the group does not wait for its reader. */
export function tellRebalance({ log, callbacks, options }: ConsumerSession, report: RebalanceReport): void {
  if (report.plan) {
    const { fields, message } = rebalanceLine(report, report.plan)
    log.info(fields, message)
  }
  const { fields, message } = assignmentLine(report)
  log.info(fields, message)
  void callbacks.run('onRebalance', options.onRebalance, report, readerMs)
}
