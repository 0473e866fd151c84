// Feeds random and damaged bytes to every decoder of the built package:
//   node scripts/fuzz-protocol.mjs [--count=1000000] [--seed=N]
// Exits 1 if one throws, or if the heap, garbage included, exceeds 64 MB. V8 itself is held to that limit, so that a
// single large allocation ends the run too.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const limitMB = 64
const heapFlags = ['--max-semi-space-size=8', `--max-old-space-size=${limitMB - 24}`]
if (!process.execArgv.includes(heapFlags[0])) {
  const args = [...heapFlags, fileURLToPath(import.meta.url), ...process.argv.slice(2)]
  process.exit(spawnSync(process.execPath, args, { stdio: 'inherit' }).status === 0 ? 0 : 1)
}

const protocol = createRequire(import.meta.url)('../dist/protocol/index.js')
const { values: options } = parseArgs({
  options: { count: { type: 'string', default: '1000000' }, seed: { type: 'string', default: String(Date.now()) } },
})
const count = Number(options.count)
const random = generator(Number(options.seed))
const below = limit => Math.floor(random() * limit)
const pick = list => list[below(list.length)]

const claims = strategy => (bytes, names) =>
  protocol.claimsOf(protocol.decodeSubscription(bytes, names), strategy, names)
const decoders = {
  decodeSubscription: protocol.decodeSubscription,
  decodeAssignment: protocol.decodeAssignment,
  decodeStickyUserData: protocol.decodeStickyUserData,
  decodeCooperativeUserData: protocol.decodeCooperativeUserData,
  'claimsOf sticky': claims('sticky'),
  'claimsOf cooperative-sticky': claims('cooperative-sticky'),
}

const samples = validSamples()
console.log(`seed ${options.seed}, ${count.toLocaleString('en')} inputs for each decoder`)
for (const [name, decode] of Object.entries(decoders)) fuzz(name, decode)

function fuzz(name, decode) {
  const started = performance.now()
  let maxHeap = 0
  let faults = 0
  // What a leader of a large group keeps at a time: the decoded members of one round, and their table of names.
  let names = new protocol.NameTable()
  let round = []
  for (let i = 0; i < count; i++) {
    const bytes = i % 2 === 0 ? randomBytes() : damagedBytes()
    let value
    try {
      value = decode(bytes, names)
    } catch (error) {
      console.log(`${name} threw on ${Buffer.from(bytes).toString('hex')}\n${error.stack}`)
      process.exit(1)
    }
    if (value?.problem) faults++
    round.push(value)
    if (i % 100 === 0) maxHeap = Math.max(maxHeap, process.memoryUsage().heapUsed / 1e6)
    if (round.length < 1000) continue
    names = new protocol.NameTable()
    round = []
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(
    `${name}: ${count} inputs in ${seconds} s, ${faults} with a problem, no exception, heap at most ${maxHeap.toFixed(1)} MB`,
  )
  if (maxHeap > limitMB) process.exit(1)
}

/** Up to 256 bytes; small numbers are frequent, so that counts and lengths are often plausible. */
function randomBytes() {
  const bytes = new Uint8Array(below(257))
  const small = random() < 0.5
  for (let i = 0; i < bytes.length; i++) bytes[i] = small && below(4) > 0 ? below(3) : below(256)
  return bytes
}

function damagedBytes() {
  const bytes = pick(samples).slice()
  for (let changes = below(4); changes > 0; changes--) {
    bytes[below(bytes.length)] = random() < 0.5 ? pick([0, 1, 0x7f, 0x80, 0xff]) : below(256)
  }
  return random() < 0.3 ? bytes.subarray(0, below(bytes.length + 1)) : bytes
}

function validSamples() {
  const partitions = [
    { topic: 'orders', partitions: [0, 1, 2] },
    { topic: 'audit', partitions: Array.from({ length: 40 }, (_, i) => i) },
  ]
  const topics = ['orders', 'audit', 'thème']
  const sticky = protocol.encodeStickyUserData(partitions, 7)
  const userData = [null, new Uint8Array(0), protocol.encodeCooperativeUserData(7), sticky]
  const subscriptions = [0, 1, 2, 3].flatMap(version =>
    userData.map(data =>
      protocol.encodeSubscription({
        version,
        topics,
        userData: data,
        ownedPartitions: data === sticky ? [] : partitions,
        generationId: 7,
        rackId: 'r1',
      }),
    ),
  )
  return [
    ...subscriptions,
    protocol.encodeAssignment({ partitions }),
    sticky,
    Uint8Array.from([0, 1, ...sticky]),
    protocol.encodeCooperativeUserData(7),
  ]
}

/** mulberry32: the same seed gives the same inputs. */
function generator(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}
