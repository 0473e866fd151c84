/** What planning costs the process that leads a group: memory, and how long its event loop stands still. */
import { buildCase, cases } from './cases.mjs'
import { measure } from './contender.mjs'
import { writeGroup } from './groupfile.mjs'
import { growthGroup } from './growth.mjs'

const named = name => ({ name, group: () => buildCase(cases.find(each => each.name === name)) })
const grown = (about, kind) => ({ name: about, group: () => growthGroup(kind, 1_000_000, 1000) })

const millions = [
  named('U2-join'),
  named('U2-half'),
  named('U2-new'),
  grown('1 M partitions, 1,000 members, mixed, even topics', { mixed: true, even: true }),
  grown('1 M partitions, 1,000 members, mixed, uneven topics', { mixed: true, even: false }),
]

/** @returns {{name: string, partitions: number, peak: number, kept: number}[]} bytes a partition */
export const measureMemory = leader => each(leader, 'memory', millions)

/** @returns {{name: string, plan: Delays, bytes: Delays}[]} Delays: {ms, median, worst} of seven runs */
export const measureLoop = leader =>
  each(leader, 'loop', [named('U1'), named('S1'), named('S2'), named('J62-join'), ...millions])

async function each({ command, groupFile }, what, list) {
  const measured = []
  for (const { name, group } of list) {
    process.stderr.write(`${what}:${name} `)
    writeGroup(groupFile, group())
    const result = await measure([...command, groupFile, what], 300_000)
    if (!result.runs) throw new Error(`${what} ${name}: ${JSON.stringify(result)}`)
    measured.push({ ...result.found, name })
  }
  return measured
}
