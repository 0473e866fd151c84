/**
 * Plans one group as a leader does, in slices, and watches itself (node --expose-gc).
 *
 *   leader-process.mjs GROUP memory|loop
 *
 * memory: heapUsed + arrayBuffers after a collection, above what they were with the request alone; the most at any
 *         pause while planning, and what the plan holds when it is done. loop: the longest time between two ticks of a
 *         1 ms timer, less that 1 ms, while planning alone and from JoinGroup's bytes to SyncGroup's.
 */
import { readGroup } from './groupfile.mjs'
import { joinGroupMembers, pause, planBytes, planner, requestText, topicStates } from './requests.mjs'

const [groupFile, what] = process.argv.slice(2)
const strategy = 'cooperative-sticky'
const group = readGroup(groupFile)
const text = requestText(group, strategy)
const aTurn = () => new Promise(resolve => setImmediate(resolve))

/** Array buffers of what died are given back some time after a collection: looks until nothing more comes back. */
async function used() {
  for (let least = Number.POSITIVE_INFINITY, same = 0; ; ) {
    global.gc()
    await new Promise(resolve => setTimeout(resolve, 5))
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    const now = heapUsed + arrayBuffers
    same = now < least - 100_000 ? 0 : same + 1
    least = Math.min(least, now)
    if (same === 3) return least
  }
}

/** Pauses at which memory is looked at: a collection of a million lists takes a while. */
const looks = 15

async function memory() {
  let slices = 0
  await planner.planInSlices(JSON.parse(text), async () => void slices++)
  const request = JSON.parse(text)
  const before = await used()
  let peak = 0
  let slice = 0
  const plan = await planner.planInSlices(request, async () => {
    if (slice++ % Math.ceil(slices / looks) === 0) peak = Math.max(peak, (await used()) - before)
  })
  const kept = (await used()) - before
  const { partitions } = plan.report
  return {
    partitions,
    peak: Math.max(peak, kept) / partitions,
    kept: kept / partitions,
    members: request.members.length,
  }
}

async function loop() {
  const members = joinGroupMembers(group, strategy)
  const topics = topicStates(group)
  return {
    plan: await watched(() => {
      const request = JSON.parse(text)
      return () => planner.planInSlices(request, pause)
    }),
    bytes: await watched(() => () => planBytes(members, strategy, topics)),
  }
}

/** Runs several times what `prepare` gives, beside a timer that ought to come every millisecond. */
async function watched(prepare) {
  const delays = []
  const times = []
  for (let run = 0; run < 7; run++) {
    const work = prepare()
    global.gc()
    await aTurn()
    let longest = 0
    let last = performance.now()
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last - 1)
      last = performance.now()
    }, 1)
    const start = performance.now()
    await work()
    times.push(performance.now() - start)
    // The last slice ends in a plan, not in a pause: let the timer see it.
    await new Promise(resolve => setTimeout(resolve, 5))
    clearInterval(timer)
    delays.push(longest)
  }
  delays.sort((a, b) => a - b)
  return { ms: Math.min(...times), median: delays[3], worst: delays[6] }
}

const found = await { memory, loop }[what]()
console.log(JSON.stringify({ ready: true, runs: [0], found }))
