/**
 * Plans one group as a leader does, in slices, and watches itself (node --expose-gc).
 *
 *   leader-process.mjs GROUP memory|loop
 *
 * memory: heapUsed + arrayBuffers after a collection, above what they were with the request alone; the most at any
 *         pause while planning, and what the plan holds when it is done. loop: the longest time between two ticks of a
 *         1 ms timer while planning, less that 1 ms.
 */
import { readGroup } from './groupfile.mjs'
import { planner, requestText } from './requests.mjs'

const [groupFile, what] = process.argv.slice(2)
const text = requestText(readGroup(groupFile), 'cooperative-sticky')
const aTurn = () => new Promise(resolve => setImmediate(resolve))

/** Array buffers of what died are given back by the collection after the next turn. */
async function used() {
  for (let i = 0; i < 2; i++) {
    global.gc()
    await aTurn()
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

/** Pauses at which memory is looked at: a collection of a million lists takes a while. */
const looks = 40

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
  const delays = []
  const times = []
  let slices = 0
  for (let run = 0; run < 7; run++) {
    const request = JSON.parse(text)
    global.gc()
    await aTurn()
    let longest = 0
    let last = performance.now()
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last - 1)
      last = performance.now()
    }, 1)
    const start = performance.now()
    slices = 0
    await planner.planInSlices(request, () => {
      slices++
      return aTurn()
    })
    times.push(performance.now() - start)
    // The last slice ends in a plan, not in a pause: let the timer see it.
    await new Promise(resolve => setTimeout(resolve, 5))
    clearInterval(timer)
    delays.push(longest)
  }
  return { delays, planMs: Math.min(...times), slices }
}

const found = await { memory, loop }[what]()
console.log(JSON.stringify({ ready: true, runs: [0], found }))
