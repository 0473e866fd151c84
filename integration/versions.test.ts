/** The package as built on other versions of Node and of kafkajs: members join and leave, nothing is lost. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { cached } from './support/cache'
import { Group } from './support/group'
import { type RunningKafka, startKafka } from './support/kafka'
import type { HostOptions } from './support/member'

const run = promisify(execFile)
let kafka: RunningKafka
let group: Group

beforeAll(async () => {
  kafka = await startKafka()
})
afterAll(() => kafka?.remove())
afterEach(() => group?.close())

/** A package from the registry in a folder of its own; the npm package `node` brings a Node of its version. */
async function installed(name: string, version: string): Promise<string> {
  const folder = await cached(`versions/${name}-${version}`, async aside => {
    const quiet = ['--no-save', '--no-audit', '--no-fund', '--loglevel=error']
    await run('npm', ['install', ...quiet, '--prefix', aside, `${name}@${version}`])
  })
  return join(folder, 'node_modules', name)
}

const node = async (version: string): Promise<HostOptions> => {
  if (process.versions.node.split('.')[0] === version.split('.')[0]) return {}
  return { execPath: join(await installed('node', version), 'bin/node') }
}

const cases: [string, () => Promise<HostOptions>][] = [
  ['Node 20', () => node('20.20.2')],
  ['Node 22', () => node('22.23.3')],
  ['Node 24', () => node('24.21.0')],
  ['kafkajs 2.2.0', async () => ({ kafkajs: await installed('kafkajs', '2.2.0') })],
]

describeEach('sticky')
describeEach('cooperative-sticky')

function describeEach(assigner: string): void {
  test.each(cases)(`${assigner} on %s`, async (name, options) => {
    const host = await options()
    const topic = `${assigner}-${name.replaceAll(/\W/g, '-')}`
    group = await Group.start(kafka, { topics: { [topic]: 6 }, assigners: [assigner] })
    await group.addWith('a', {}, host)
    await group.settled()
    await group.addWith('b', {}, host)
    expect((await group.settled()).moved).toBe(3)
    await group.member('a').terminate()
    expect((await group.settled()).moved).toBe(3)
    await group.nothingLost()
    expect(group.ledger.overlaps()).toEqual([])
  })
}
