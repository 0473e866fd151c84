import type { Log } from '../report/logger'
import type { PartitionsByTopic } from '../report/topics'

/** What each partition callback gets. */
export interface PartitionsEvent {
  readonly groupId: string
  readonly memberId: string
  /** Revoked and lost: the generation in which they had been assigned. Assigned: the new one. */
  readonly generation: number
  /** Ascending partition ids by topic; an object without a prototype, so any topic name is safe. */
  readonly partitions: PartitionsByTopic
}

/** Awaited where the group can wait; what it throws is logged and counted. */
export type PartitionsCallback = (event: PartitionsEvent) => void | Promise<void>

/** Runs the user's callbacks: one that throws or hangs is logged and counted, and the group goes on. */
export class CallbackRunner {
  /** Failures and time-outs by callback name. */
  readonly failures = new Map<string, number>()

  constructor(
    private readonly log: () => Log,
    private readonly groupId: string,
    private readonly onFailure: (callback: string) => void = () => {},
  ) {}

  /**
   * Calls `callback` and waits for it, for at most `boundMs`. Never rejects.
   * Returns the milliseconds that were spent waiting.
   */
  async run<Event>(
    name: string,
    callback: ((event: Event) => unknown) | undefined,
    event: Event,
    boundMs: number,
  ): Promise<number> {
    if (!callback) return 0
    const start = performance.now()
    let timer: NodeJS.Timeout | undefined
    const bound = new Promise<'late'>(resolve => {
      timer = setTimeout(resolve, boundMs, 'late').unref()
    })
    try {
      const call = Promise.resolve(callback(event))
      // A rejection after the bound still has to be caught, and said.
      call.catch(error => this.failed(name, `threw ${describeError(error)}`))
      const outcome = await Promise.race([call.catch(() => undefined), bound])
      if (outcome === 'late') this.failed(name, `did not finish within ${boundMs} ms; the group goes on without it`)
    } catch (error) {
      this.failed(name, `threw ${describeError(error)}`)
    } finally {
      clearTimeout(timer)
    }
    return performance.now() - start
  }

  private failed(callback: string, what: string): void {
    const failures = (this.failures.get(callback) ?? 0) + 1
    this.failures.set(callback, failures)
    this.onFailure(callback)
    this.log().error({ event: 'callback-failed', groupId: this.groupId, callback, failures }, `${callback} ${what}`)
  }
}

export function describeError(error: unknown): string {
  try {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  } catch {
    return 'a value that cannot be shown'
  }
}
