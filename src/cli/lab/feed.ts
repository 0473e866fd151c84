/** What the live page is told: kept for whoever comes later, and passed on to all that listen. */

export type FeedEvent = { readonly name: 'look' | 'problem'; readonly data: unknown }
type Listener = (event: FeedEvent) => void

export class Feed {
  private readonly listeners = new Set<Listener>()
  private lastLook: FeedEvent | undefined
  private problem: FeedEvent | undefined

  /** A look ends a problem. */
  tell(event: FeedEvent): void {
    if (event.name === 'look') this.lastLook = event
    this.problem = event.name === 'problem' ? event : undefined
    for (const listener of this.listeners) listener(event)
  }

  /** Begins with the last look and the problem that there is. Returns what ends it. */
  listen(listener: Listener): () => void {
    if (this.lastLook) listener(this.lastLook)
    if (this.problem) listener(this.problem)
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  get hasListeners(): boolean {
    return this.listeners.size > 0
  }
}
