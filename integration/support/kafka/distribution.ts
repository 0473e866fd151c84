/**
 * Kafka from Maven Central, fetched once into the project's `.cache/` and kept there by content: the jars, what a
 * formatted data directory holds, and an archive of the classes that a broker loads, which halves the CPU of a start.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cached } from '../cache'
import { root } from '../root'
import { JavaProcess } from './java'
import { freePort } from './ports'
import { serverProperties } from './properties'
import { KafkaUnavailable } from './types'

const run = promisify(execFile)

export interface Distribution {
  /** JVM arguments before the class name. */
  jvmArguments: string[]
  /** The file that `kafka-storage format` leaves beside meta.properties; the same for every node. */
  bootstrapCheckpoint: string
}

export const clusterId = '5L6g3nShT-eMCtK--X86sw'

const pom = join(root, 'scripts/kafka/pom.xml')
const copyDependencies = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies'

let distribution: Promise<Distribution> | undefined

/** @throws KafkaUnavailable where Java or Maven is missing or the jars cannot be had. */
export function fetchDistribution(): Promise<Distribution> {
  distribution ??= prepare()
  return distribution
}

async function prepare(): Promise<Distribution> {
  const java = await javaVersion()
  const key = (...parts: string[]) => createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 12)
  const shoppingList = readFileSync(pom, 'utf8')
  const jars = await cached(`kafka/jars-${key(shoppingList)}`, aside => fetchJars(pom, aside))
  const warm = await cached(`kafka/warm-${key(shoppingList, java, jars)}`, aside => warmUp(jars, aside))
  return {
    jvmArguments: [`-XX:SharedArchiveFile=${join(warm, 'classes.jsa')}`, ...jvmArguments(jars)],
    bootstrapCheckpoint: join(warm, 'bootstrap.checkpoint'),
  }
}

async function javaVersion(): Promise<string> {
  const answer = await run('java', ['-version']).catch(() => {
    throw new KafkaUnavailable(
      'java is missing: a broker process needs Java 17 or newer (Debian: apt-get install openjdk-17-jre-headless)',
    )
  })
  const version = Number(/version "(\d+)/.exec(answer.stderr)?.[1])
  if (!(version >= 17)) throw new KafkaUnavailable(`java is version ${version}; a broker process needs 17 or newer`)
  return answer.stderr
}

/** The jars that a pom lists and all that these need. */
export async function fetchJars(pom: string, directory: string): Promise<void> {
  const args = ['-B', '-q', '-f', pom, copyDependencies, '-DincludeScope=runtime', `-DoutputDirectory=${directory}`]
  await run('mvn', args).catch(error => {
    throw new KafkaUnavailable(
      error.code === 'ENOENT'
        ? 'mvn is missing: it fetches the broker (Debian: apt-get install maven)'
        : `mvn could not fetch the jars: ${error.stdout || error.message}`,
    )
  })
}

function jvmArguments(jars: string): string[] {
  return [
    ...['-Xms64m', '-Xmx256m'],
    // A test's broker lives for seconds: a second compiler and a parallel collector cost more than they give.
    ...['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'],
    ...['-Xlog:cds=off', '-Xlog:cds+dynamic=off'],
    ...[`-Dlog4j2.configurationFile=${join(root, 'scripts/kafka/log4j2.yaml')}`, '-cp', `${jars}/*`],
  ]
}

/** Formats and runs one node, once, for its formatted directory and the archive of its classes. */
async function warmUp(jars: string, directory: string): Promise<void> {
  const data = join(directory, 'data')
  const file = join(directory, 'server.properties')
  writeFileSync(file, serverProperties({ id: 1, port: await freePort(), controllers: [await freePort()], data }, {}))
  const java = (log: string, ...args: string[]) =>
    new JavaProcess([`-XX:ArchiveClassesAtExit=${join(directory, 'classes.jsa')}`, ...args], join(directory, log))

  const format = new JavaProcess(
    [...jvmArguments(jars), 'kafka.tools.StorageTool', 'format', '-t', clusterId, '-c', file],
    join(directory, 'format.log'),
  )
  if ((await format.exit()) !== 0) throw new Error(readFileSync(join(directory, 'format.log'), 'utf8'))
  cpSync(join(data, 'bootstrap.checkpoint'), join(directory, 'bootstrap.checkpoint'))

  const broker = java('broker.log', ...jvmArguments(jars), 'kafka.Kafka', file)
  await broker.says('Kafka Server started')
  await broker.end('SIGTERM')
  rmSync(data, { recursive: true, force: true })
}
