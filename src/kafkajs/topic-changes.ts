import type { TopicState } from './topic-metadata'

export interface TopicChanges {
  readonly topicsAppeared: readonly string[]
  readonly topicsGrown: readonly string[]
  readonly topicsVanished: readonly string[]
}

/** Remembers the topics of the last plan of this leader, with their partition counts. */
export class TopicMemory {
  private last: ReadonlyMap<string, number> | null = null

  /** What changed since the last call; nothing at the first. A topic made anew with fewer partitions vanished and appeared. */
  changes(subscribed: Iterable<string>, topics: ReadonlyMap<string, TopicState>): TopicChanges {
    const before = this.last
    const now = new Map<string, number>()
    for (const topic of subscribed) {
      const state = topics.get(topic)
      if (state) now.set(topic, state.racks.length)
    }
    this.last = now
    if (!before) return { topicsAppeared: [], topicsGrown: [], topicsVanished: [] }
    // Topics never shrink.
    const isSame = (topic: string) => (before.get(topic) ?? 0) <= (now.get(topic) ?? 0)
    return {
      topicsAppeared: [...now.keys()].filter(topic => !before.has(topic) || !isSame(topic)).sort(),
      topicsGrown: [...now.keys()].filter(topic => before.has(topic) && before.get(topic)! < now.get(topic)!).sort(),
      topicsVanished: [...before.keys()].filter(topic => !now.has(topic) || !isSame(topic)).sort(),
    }
  }
}
