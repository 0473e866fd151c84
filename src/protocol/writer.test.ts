import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { decodeSubscription } from '.'
import { writeSubscription } from './subscription'
import { utf8Length } from './writer'

const boundaries = ['\0', '\x7f', '\x80', '\u07ff', '\u0800', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}']
const loneSurrogates = ['\ud800', '\udfff', 'a\udbffb', '\udc00\ud800']

test('the length of UTF-8 is that of its bytes, at each change of their number', () => {
  for (const text of [...boundaries, ...loneSurrogates, '']) expect(utf8Length(text)).toBe(Buffer.byteLength(text))
  fc.assert(fc.property(fc.string({ unit: 'binary' }), text => expect(utf8Length(text)).toBe(Buffer.byteLength(text))))
})

test('names that are no ASCII are written whole, beside names that are', () => {
  const topics = ['plain', ...boundaries, 'plain too', 'thème', '主题']
  const partitions = topics.map((topic, i) => ({ topic, partitions: [i, 7] }))
  const bytes = writeSubscription({ topics, ownedPartitions: partitions, generationId: 3, rackId: 'østfold' })
  expect(decodeSubscription(bytes)).toMatchObject({
    topics,
    ownedPartitions: partitions,
    generationId: 3,
    rackId: 'østfold',
    trailing: 0,
    problem: null,
  })
})

test('half of a surrogate pair is written as U+FFFD', () => {
  expect(decodeSubscription(writeSubscription({ topics: loneSurrogates })).topics).toEqual([
    '\ufffd',
    '\ufffd',
    'a\ufffdb',
    '\ufffd\ufffd',
  ])
})
