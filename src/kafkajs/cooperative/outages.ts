import { nothingToFetch } from './aborts'
import { isPassing, isUnreachable } from './errors'

/** What fails where metadata cannot be read. */
export const metadata = 'metadata'

/**
 * Makes a fetch return nothing where a broker cannot be reached, for a while. kafkajs would stop the fetchers of all
 * brokers on such an error, and restart the consumer after five of them: its partitions would change hands for nothing.
 * An outage that outlasts the bound is kafkajs' affair again.
 */
export class Outages {
  /** By what fails. */
  private readonly current = new Map<string, { readonly since: number; failures: number; triedAt: number }>()
  /** kafkajs has been given the error of one, and nothing has gone well since: it will restart the consumer. */
  handedOver = false

  constructor(
    private readonly boundMs: () => number,
    /** Between two attempts; `failures` counts from 1. */
    private readonly pause: (failures: number) => Promise<void>,
    /** The view of the cluster may be stale. Never rejects. */
    private readonly refresh: () => Promise<void>,
  ) {}

  clear(): void {
    this.current.clear()
    this.handedOver = false
  }

  /** For a call that has a patience of its own; its answer comes not a moment later. */
  watch<Answer>(call: Promise<Answer>): Promise<Answer> {
    call.catch(error => {
      if (isPassing(error)) this.handedOver = true
    })
    return call
  }

  async tolerate<Answer>(what: string, call: () => Promise<Answer>): Promise<Answer> {
    const startedAt = Date.now()
    try {
      const answer = await call()
      this.current.delete(what)
      // Metadata that were not due have asked nobody.
      if (what !== metadata) this.handedOver = false
      return answer
    } catch (error) {
      if (!isUnreachable(error)) throw error
      const known = this.current.get(what)
      // One that nobody has asked about for so long has ended meanwhile.
      const goesOn = known && startedAt - known.triedAt <= 2 * this.boundMs()
      const outage = goesOn ? known : { since: Date.now(), failures: 0, triedAt: 0 }
      this.current.set(what, outage)
      outage.triedAt = Date.now()
      if (outage.triedAt - outage.since > this.boundMs()) {
        this.handedOver = true
        throw error
      }
      await this.pause(++outage.failures)
      await this.refresh()
      outage.triedAt = Date.now()
      throw nothingToFetch()
    }
  }
}
