/**
 * Which of kafkajs' fetchers have ended what they were given. A fetcher is serial: when it fetches again, all of its batches
 * are done. When brokers come or go kafkajs ends all fetchers before it starts new ones; so once a fetcher has begun two
 * fetches without a broker being known, that broker's fetcher has ended too.
 */
export class Fetchers {
  private readonly knownBefore = new Map<string, ReadonlySet<string>>()

  constructor(private readonly known: () => readonly (number | string)[]) {}

  /** This broker's fetcher begins a fetch. Returns whether a broker's batches are done by now. */
  begins(node: string): (other: string) => boolean {
    const before = this.knownBefore.get(node)
    const now = new Set(this.known().map(String))
    this.knownBefore.set(node, now)
    return other => other === node || (before !== undefined && !before.has(other) && !now.has(other))
  }

  clear(): void {
    this.knownBefore.clear()
  }
}
