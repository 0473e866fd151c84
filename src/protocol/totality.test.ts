import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type Assignment, claimsOf, decodeAssignment, decodeSubscription, NameTable, type Subscription } from '.'
import { writeAssignment } from './assignment'
import { writeSubscription } from './subscription'
import { strictAssignment, strictSubscription } from './testing/strict'
import { decodeCooperativeUserData, decodeStickyUserData, writeStickyUserData } from './user-data'

const numRuns = 2000

const name = fc.oneof(fc.constantFrom('a', 'b', 'orders', '__proto__'), fc.string({ unit: 'binary', maxLength: 8 }))
const entries = fc.array(
  fc.record({ topic: name, partitions: fc.array(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), { maxLength: 4 }) }),
  { maxLength: 4 },
)
const version = fc.constantFrom(0, 1, 2, 3)
const generation = fc.integer({ min: -1, max: 2 ** 31 - 1 })
const stickyUserData = fc
  .tuple(entries, generation, fc.constantFrom('v0', 'v1', 'kafka-python'))
  .map(([list, generationId, layout]) => writeStickyUserData(list, generationId, layout))
const userData = fc.oneof(fc.constant(null), fc.uint8Array({ maxLength: 12 }), stickyUserData)

const subscriptionFields = fc.record({
  version,
  topics: fc.array(name, { maxLength: 4 }),
  userData,
  ownedPartitions: entries,
  generationId: generation,
  rackId: fc.option(name),
})
const subscription = subscriptionFields.map(writeSubscription)
const assignment = fc.record({ version, partitions: entries, userData }).map(writeAssignment)

/** Valid bytes with a few of them changed, cut off or followed by others. */
const damaged = (valid: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Uint8Array> =>
  fc
    .record({
      bytes: valid,
      changes: fc.array(
        fc.record({
          at: fc.nat(),
          value: fc.oneof(fc.constantFrom(0, 1, 0x7f, 0x80, 0xff), fc.integer({ min: 0, max: 255 })),
        }),
        { maxLength: 3 },
      ),
      cut: fc.option(fc.nat()),
      tail: fc.uint8Array({ maxLength: 4 }),
    })
    .map(({ bytes, changes, cut, tail }) => {
      const copy = Uint8Array.from([...bytes, ...tail])
      for (const { at, value } of changes) if (copy.length > 0) copy[at % copy.length] = value
      return cut === null ? copy : copy.subarray(0, cut % (copy.length + 1))
    })

const anyBytes = (valid: fc.Arbitrary<Uint8Array>) => fc.oneof(fc.uint8Array({ maxLength: 64 }), damaged(valid))

function attempt<T>(read: () => T): T | null {
  try {
    return read()
  } catch {
    return null
  }
}

const without = ({ problem, trailing, ...rest }: Subscription) => rest

describe('any bytes', () => {
  test('subscription: read as the strict reader reads them, and a problem exactly where it gives up', () => {
    fc.assert(
      fc.property(anyBytes(subscription), bytes => {
        const decoded = decodeSubscription(bytes)
        const strict = attempt(() => strictSubscription(bytes, true))
        expect(decoded.problem === null).toBe(strict !== null)
        if (!strict) return expect(decoded.ownedPartitions).toEqual([])
        const { ownedPartitions = [], generationId = -1, rackId = null } = strict
        expect(without(decoded)).toEqual({
          ...strict,
          userData: strict.userData && new Uint8Array(strict.userData),
          ownedPartitions,
          generationId: generationId < 0 ? null : generationId,
          rackId,
        })
        // Nothing but what was counted as trailing is left over.
        expect(attempt(() => strictSubscription(bytes.subarray(0, bytes.length - decoded.trailing)))).toEqual(strict)
      }),
      { numRuns },
    )
  })

  test('assignment: read as the strict reader reads them, and a problem exactly where it gives up', () => {
    fc.assert(
      fc.property(anyBytes(assignment), bytes => {
        const decoded: Assignment = decodeAssignment(bytes)
        const strict = attempt(() => strictAssignment(bytes, true))
        if (decoded.problem?.reason !== 'negative-partition') expect(decoded.problem === null).toBe(strict !== null)
        if (!strict) return
        expect(decoded.asSent).toEqual(strict.partitions)
        expect(decoded.version).toBe(strict.version)
        expect(decoded.userData).toEqual(strict.userData && new Uint8Array(strict.userData))
      }),
      { numRuns },
    )
  })

  test('userData: a value, whatever they are', () => {
    fc.assert(
      fc.property(anyBytes(stickyUserData), bytes => {
        const { layout, partitions, problem, trailing } = decodeStickyUserData(bytes)
        expect(layout === null).toBe(bytes.length === 0 || problem !== null)
        if (layout === null) expect(partitions).toEqual([])
        expect(trailing).toBeLessThanOrEqual(bytes.length)
        const cooperative = decodeCooperativeUserData(bytes)
        expect(cooperative === null || cooperative >= 0).toBe(true)
      }),
      { numRuns },
    )
  })

  test('claims: held or released, never both, and none of a damaged subscription', () => {
    const strategy = fc.constantFrom('sticky', 'cooperative-sticky', 'range', 'roundrobin', 'kafka-sticky', '')
    fc.assert(
      fc.property(anyBytes(subscription), strategy, (bytes, name) => {
        const decoded = decodeSubscription(bytes)
        const { owned, released, generation, problem } = claimsOf(decoded, name)
        expect(owned.length === 0 || released.length === 0).toBe(true)
        if (owned.length + released.length === 0) expect(generation).toBeNull()
        if (decoded.problem) expect([problem, owned, released]).toEqual([decoded.problem, [], []])
        if (name === 'sticky') expect(owned).toEqual([])
      }),
      { numRuns },
    )
  })
})

test('a table of names changes nothing in what is read', () => {
  fc.assert(
    fc.property(fc.array(anyBytes(subscription), { maxLength: 20 }), members => {
      const names = new NameTable()
      for (const bytes of members) {
        const shared = decodeSubscription(bytes, names)
        expect(shared).toEqual(decodeSubscription(bytes))
        expect(claimsOf(shared, 'sticky', names)).toEqual(claimsOf(shared, 'sticky'))
      }
    }),
    { numRuns: 300 },
  )
})

test('a Buffer, also one that is part of a larger one, is read like any other bytes', () => {
  fc.assert(
    fc.property(subscriptionFields, fields => {
      const bytes = writeSubscription(fields)
      const part = Buffer.concat([Buffer.alloc(3, 0xff), bytes, Buffer.alloc(3, 0xff)]).subarray(3, 3 + bytes.length)
      const decoded = decodeSubscription(part)
      expect({ ...decoded, userData: decoded.userData && new Uint8Array(decoded.userData) }).toEqual(
        decodeSubscription(bytes),
      )
    }),
    { numRuns: 300 },
  )
})
