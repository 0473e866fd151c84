import { describe, expect, test } from '@jest/globals'
import type { Admin } from 'kafkajs'
import { readTopicSizes } from './topics'

const { createErrorFromCode } = require('kafkajs/src/protocol/error') as {
  createErrorFromCode: (code: number) => Error
}

/** kafkajs' admin: fails for the whole request if one topic of it cannot be told. */
function cluster(sizes: Record<string, number>, errors: Record<string, number> = {}) {
  const requests: string[][] = []
  const fetchTopicMetadata = async ({ topics }: { topics: string[] }) => {
    requests.push(topics)
    for (const topic of topics) {
      if (errors[topic] !== undefined) throw createErrorFromCode(errors[topic])
      if (sizes[topic] === undefined) throw createErrorFromCode(3)
    }
    return { topics: topics.map(name => ({ name, partitions: Array.from({ length: sizes[name]! }, () => ({})) })) }
  }
  return { admin: { fetchTopicMetadata } as unknown as Admin, requests }
}

describe('partition counts', () => {
  test('of topics that are there, in one request', async () => {
    const { admin, requests } = cluster({ a: 3, b: 1 })
    expect([...(await readTopicSizes(admin, ['a', 'b']))]).toEqual([
      ['a', { partitions: 3, problem: null }],
      ['b', { partitions: 1, problem: null }],
    ])
    expect(requests).toHaveLength(1)
  })

  test('also if some are not, or may not be told', async () => {
    const names = Array.from({ length: 200 }, (_, i) => `t${i}`)
    const existing = Object.fromEntries(names.filter(name => name !== 't77').map(name => [name, 2]))
    const { admin, requests } = cluster(existing, { t150: 29, t3: 5 })
    const sizes = await readTopicSizes(admin, names)
    expect(sizes.size).toBe(200)
    expect(sizes.get('t77')).toEqual({ partitions: 0, problem: null })
    expect(sizes.get('t150')).toEqual({ partitions: 0, problem: 'TOPIC_AUTHORIZATION_FAILED' })
    expect(sizes.get('t3')).toEqual({ partitions: 0, problem: 'LEADER_NOT_AVAILABLE' })
    expect([...sizes.values()].filter(({ partitions }) => partitions === 2)).toHaveLength(197)
    // Found by halving, not one by one.
    expect(requests.length).toBeLessThan(60)
  })

  test('names that Kafka does not allow are not asked for', async () => {
    const { admin, requests } = cluster({ a: 1 })
    const odd = ['', '.', '..', 'a b', '\u001b', 'x'.repeat(250)]
    const sizes = await readTopicSizes(admin, ['a', ...odd])
    expect(requests).toEqual([['a']])
    for (const name of odd) expect(sizes.get(name)).toEqual({ partitions: 0, problem: null })
  })

  test('nothing is asked for no topics, which would be a request for all', async () => {
    const { admin, requests } = cluster({})
    expect((await readTopicSizes(admin, [])).size).toBe(0)
    expect(requests).toEqual([])
  })

  test('an error that is about no topic is thrown', async () => {
    const fetchTopicMetadata = async () => {
      throw new TypeError('no connection')
    }
    await expect(readTopicSizes({ fetchTopicMetadata } as unknown as Admin, ['a', 'b'])).rejects.toThrow(
      'no connection',
    )
  })
})
