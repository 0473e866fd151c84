/**
 * Kafka's own Java consumer as a member of a test's group (the program in ../java), built once into `.cache/`:
 *
 *     const withJava = javaMissing ? describe.skip : describe
 *     await group.addWith('java', { assigners: ['range'], properties: { 'client.rack': 'r1' } }, await javaMember())
 *
 * It takes the commands run, stop, disconnect, delay, pauseTopics and resumeTopics, signals like any other member, and
 * of MemberConfig what MemberConfig.java names. With `group.protocol=consumer` (KIP-848) it has no assigners.
 */
import { execFile, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { cached } from './cache'
import { fetchJars } from './kafka/distribution'
import type { HostOptions } from './member'
import { root } from './root'

const run = promisify(execFile)
const source = join(root, 'integration/java')

/** Why there can be no Java member on this machine; undefined where there can. */
export const javaMissing: string | undefined =
  [
    ['javac', '-version'],
    ['mvn', '-version'],
  ]
    .filter(([command, argument]) => spawnSync(command!, [argument!]).error)
    .map(([command]) => `no ${command}`)
    .join(', ') || undefined

let member: Promise<HostOptions> | undefined

export function javaMember(): Promise<HostOptions> {
  member ??= build()
  return member
}

async function build(): Promise<HostOptions> {
  const names = readdirSync(source).sort()
  const pom = join(source, 'pom.xml')
  const sources = names.filter(name => name.endsWith('.java')).map(name => join(source, name))
  const jars = await cached(`java-member/jars-${contentKey([pom])}`, aside => fetchJars(pom, aside))
  const classes = await cached(`java-member/classes-${contentKey([pom, ...sources])}`, async aside => {
    await run('javac', ['-cp', `${jars}/*`, '-d', aside, ...sources])
  })
  // A test's member lives for seconds: a second compiler and a parallel collector cost more than they give.
  const economy = ['-Xmx128m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xshare:auto']
  const logging = `-Dorg.slf4j.simpleLogger.defaultLogLevel=${process.env.JAVA_MEMBER_LOG ?? 'error'}`
  return { program: ['java', ...economy, logging, '-cp', [`${jars}/*`, classes].join(delimiter), 'Main'] }
}

function contentKey(files: string[]): string {
  const hash = createHash('sha256')
  for (const file of files) hash.update(readFileSync(file))
  return hash.digest('hex').slice(0, 12)
}
