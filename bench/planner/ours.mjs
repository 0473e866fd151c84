/**
 * Times this package's planner on one group of the bench, in a process of its own (node --expose-gc).
 *
 *   ours.mjs GROUP ANSWER FIGURE WARM_SECONDS MEASURE_SECONDS
 *
 * FIGURE: coop, plan = request object → plan() with cooperative-sticky, sticky; answer = the same as coop and the
 * objects of every member's assignment; bytes = JoinGroup metadata → SyncGroup assignments, cooperative-sticky.
 * Prints JSON lines: {"ready":true}, {"first":ms}, {"runs":[ms…]}.
 */
import { readGroup, writeAnswer } from './groupfile.mjs'
import { clock, isSlow, repeat } from './repeat.mjs'
import { answerOf, joinGroupMembers, planBytes, planner, requestText, topicStates } from './requests.mjs'

/**
 * A collection before the clock starts keeps the garbage of building the input out of the measured time. Only of young
 * objects: after a full one V8 forgets what it has compiled for classes without a living instance, and nothing is warm.
 */
const collectAbove = 5000
const collect = () => global.gc({ type: 'minor' })

const [groupFile, answerFile, figure, warmSeconds, measureSeconds] = process.argv.slice(2)
const group = readGroup(groupFile)
const claims = group.members.reduce((sum, { owned }) => sum + owned.reduce((n, [, ids]) => n + ids.length, 0), 0)
const strategy = figure === 'plan' ? 'sticky' : 'cooperative-sticky'
const prepare = { coop: fromRequest, plan: fromRequest, answer: fromRequest, bytes: fromBytes }[figure]()

let last
async function call() {
  last = undefined
  const run = prepare()
  if (claims > collectAbove) collect()
  const start = clock()
  last = await run()
  return clock() - start
}

function fromRequest() {
  const text = requestText(group, strategy)
  const withObjects = plan => ({ plan, assignments: plan.memberIds.map(id => plan.assignment(id)) })
  return () => {
    const request = JSON.parse(text)
    return figure === 'answer' ? () => withObjects(planner.plan(request)) : () => planner.plan(request)
  }
}

function fromBytes() {
  const members = joinGroupMembers(group, strategy)
  const topics = topicStates(group)
  return () => () => planBytes(members, strategy, topics)
}

const print = line => console.log(JSON.stringify(line))
print({ ready: true })
const first = await call()
print({ first })
const [warm, measure] = [Number(warmSeconds), Number(measureSeconds)]
let runs = [first]
if (!isSlow(first, warm, measure)) {
  await repeat(warm, call)
  runs = await repeat(measure, call)
}
if (figure === 'plan') writeAnswer(answerFile, answerOf(group, last))
print({ runs, ...(last?.report ? { report: slim(last.report) } : {}) })

function slim({ moved, minimumMoves, balance, spread, withheld }) {
  return { moved, minimumMoves, balance, spread, withheld }
}
