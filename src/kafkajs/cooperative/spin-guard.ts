/**
 * More fetches begin within one turn of the event loop only if nothing else can ever happen again: each broker's fetcher
 * asks twice when it begins, and all of them may begin together.
 */
const tooMany = (brokers: number) => 1000 + 10 * brokers

/**
 * Ends a loop that kafkajs can fall into and that blocks the process for ever: when brokers come or go while a consumer
 * stops, FetchManager starts fetchers that nobody stops any more, and each returns at once because the consumer is not
 * running, without ever giving way to anything else.
 */
export class SpinGuard {
  private calls = 0
  private resetDue = false

  /** To be called when a fetch begins. Throws what makes kafkajs end its fetchers and look whether it still runs. */
  check(brokers: number): void {
    if (!this.resetDue) {
      this.resetDue = true
      setImmediate(() => {
        this.resetDue = false
        this.calls = 0
      })
    }
    if (++this.calls < tooMany(brokers)) return
    this.calls = 0
    throw Object.assign(new Error('The fetchers of a consumer that has stopped are ended'), {
      name: 'KafkaJSError',
      retriable: true,
    })
  }
}
