import { describe, expect, it } from '@jest/globals'
import type { Step } from './scenario'
import { enumerate, describe as inWords } from './words'

const join = (id: string) => ({ do: 'join', consumer: { id, topics: null } }) as const

describe('A step in words', () => {
  it.each<[string, Step]>([
    ['c1 joins', [join('c1')]],
    ['c1, c2 and c3 join', [join('c1'), join('c2'), join('c3')]],
    ['W crashes, Z joins', [{ do: 'crash', id: 'W' }, join('Z')]],
    ['c1 starts again', [{ do: 'restart', id: 'c1' }]],
    ['c1 leaves', [{ do: 'leave', id: 'c1' }]],
    ['c1 subscribes t and u', [{ do: 'subscribe', id: 'c1', topics: ['t', 'u'] }]],
    ['c1 subscribes nothing', [{ do: 'subscribe', id: 'c1', topics: [] }]],
    ['c1 subscribes every topic', [{ do: 'subscribe', id: 'c1', topics: null }]],
    ['topic t has 1 partition', [{ do: 'topic', topic: { topic: 't', partitions: 1 } }]],
    [
      'topic t has 2 partitions in racks r1, r2',
      [{ do: 'topic', topic: { topic: 't', partitions: 2, racks: ['r1', 'r2'] } }],
    ],
    ['topic t is deleted', [{ do: 'delete', topic: 't' }]],
  ])('%s', (words, step) => {
    expect(inWords(step)).toBe(words)
  })

  it('cuts long lists short', () => {
    expect(enumerate(['a', 'b', 'c', 'd', 'e', 'f'])).toBe('a, b … f (6)')
  })
})
