// npm run verify: sets up what the tests need, says what and why, and passes every test. `--full` makes the long ones
// long. Ends with the line `N passed, N failed, N skipped`, where a step that is no jest run counts as one test. A test
// that is skipped although what it lacks could have been set up here is a failure.
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ensureBrowser } from './lib/browser.mjs'
import { ensureKafka, handsOff } from './lib/kafka.mjs'
import { ensurePrometheus } from './lib/prometheus.mjs'
import { ensurePackages, root, run, seconds } from './lib/run.mjs'

const began = Date.now()
const results = join(root, 'build/verify')
const totals = { passed: 0, failed: 0, skipped: 0 }
const failures = []
const skips = []
const times = []

const [major] = process.versions.node.split('.')
if (Number(major) < 20) {
  console.error(`node is version ${process.versions.node}; this project needs 20 or newer`)
  process.exit(1)
}
if (process.argv.includes('--full')) process.env.FULL = '1'
console.log(`verify on node ${process.versions.node}, ${process.platform} ${process.arch}`)
await ensurePackages()
await ensureBrowser()
await ensurePrometheus()
await ensureKafka()
rmSync(results, { recursive: true, force: true })
mkdirSync(results, { recursive: true })

await step('build', ['scripts/build.mjs'], { essential: true })
await step('page', ['lab/build.mjs'], { essential: true })
await step('types', ['node_modules/typescript/bin/tsc', '--noEmit'])
await step('types of the page', ['node_modules/typescript/bin/tsc', '-p', 'lab'])
await step('lint', ['node_modules/@biomejs/biome/bin/biome', 'check'])
await step('API pages', ['node_modules/typedoc/bin/typedoc'])
await jest('unit')
await step('fuzz', ['scripts/fuzz-protocol.mjs', `--count=${process.env.FULL ? 1_000_000 : 50_000}`])
await jest('packaging')
await jest('e2e')
await jest('integration')
await step('demo', ['scripts/demo.mjs'])
finish()

async function step(name, args, { essential = false } = {}) {
  const start = begin(name)
  const status = await run(process.execPath, args)
  if (status === 0) totals.passed++
  else fail(name, `exit status ${status}`)
  end(name, start, status)
  if (status !== 0 && essential) finish()
}

/** A jest project; its counts come from jest's own report. */
async function jest(project) {
  const start = begin(project)
  const file = join(results, `${project}.json`)
  const status = await run(process.execPath, [
    ...['node_modules/jest/bin/jest.js', '--selectProjects', project, '--json', `--outputFile=${file}`],
    // On two cores jest would take one file at a time; three with real brokers miss their sessions there.
    '--maxWorkers=2',
  ])
  end(project, start, status)
  const report = readReport(file)
  if (!report) return fail(project, `jest wrote no report, exit status ${status}`)
  totals.passed += report.numPassedTests
  totals.failed += report.numFailedTests
  totals.skipped += report.numPendingTests + report.numTodoTests
  let named = 0
  for (const { name, message, assertionResults } of report.testResults) {
    // A file that does not even load has no tests to count.
    if (message && assertionResults.length === 0) {
      named++
      fail(name, 'cannot be run')
    }
    for (const { status, fullName } of assertionResults) {
      if (status === 'failed') named = failures.push(`${project}: ${fullName}`)
      if (status === 'pending' || status === 'todo') skips.push(`${project}: ${fullName}`)
    }
  }
  if (status !== 0 && named === 0) fail(project, `exit status ${status}`)
}

function begin(name) {
  console.log(`\n── ${name}`)
  return Date.now()
}

function end(name, start, status) {
  times.push(`${name} ${seconds(start)}`)
  console.log(`${name}: ${status === 0 ? 'passed' : 'FAILED'} in ${seconds(start)}`)
}

function fail(name, why) {
  totals.failed++
  failures.push(`${name}: ${why}`)
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

function finish() {
  const reason = handsOff()
  if (skips.length > 0 && !reason) fail('skipped tests', 'what they lack could have been set up here')
  console.log('')
  for (const each of skips) console.log(`skipped  ${each}`)
  for (const each of failures) console.log(`FAILED   ${each}`)
  console.log(`verify took ${seconds(began)}: ${times.join(', ')}`)
  console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`)
  process.exit(totals.failed > 0 ? 1 : 0)
}
