import type { Strategy } from '../../src/planner/types'

/** Whether a strategy looks at what was there before. */
export const hasMemory = (strategy: Strategy): boolean => strategy !== 'range' && strategy !== 'roundrobin'

/** What is said of each strategy, beside its name as brokers know it. */
export const words: Record<Strategy, { by: string; rule: string }> = {
  range: {
    by: 'Kafka’s',
    rule: 'Cuts each topic by itself into ranges, in order of member ids. Who had a partition before does not count.',
  },
  roundrobin: {
    by: 'Kafka’s',
    rule: 'Deals all partitions in turn, in order of member ids. Who had a partition before does not count.',
  },
  'kafka-sticky': {
    by: 'Kafka’s, to compare with',
    rule: 'Keeps what its Java algorithm can keep: best where all subscribe the same, an approximation elsewhere.',
  },
  sticky: {
    by: 'this package',
    rule: 'Balance first, then as few moves as any plan of that balance can have, then topics spread evenly.',
  },
  'cooperative-sticky': {
    by: 'this package',
    rule: 'The plan of sticky in two rounds: what changes hands is given up first, and all else is read on meanwhile.',
  },
}
