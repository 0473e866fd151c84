import { expect, test } from '@jest/globals'
import { Fetchers } from './fetchers'

test('a fetcher that fetches again has ended its batches, and no other has', () => {
  const fetchers = new Fetchers(() => [1, 2])
  const done = fetchers.begins('1')
  expect([done('1'), done('2')]).toEqual([true, false])
})

test('the fetcher of a broker that is gone has ended when another has begun two fetches without it', () => {
  let known = [1, 2, 3]
  const fetchers = new Fetchers(() => known)
  fetchers.begins('2')
  // The metadata may have changed within the fetch of a broker; the fetcher of the one that is gone still works.
  known = [2, 3]
  expect(fetchers.begins('2')('1')).toBe(false)
  expect(fetchers.begins('2')('1')).toBe(true)
  expect(fetchers.begins('2')('3')).toBe(false)
})
