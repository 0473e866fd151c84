/** Kafka as processes of this machine, on 127.0.0.1, from the jars of Maven Central. */
import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { guard } from '../keeper'
import { clusterId, type Distribution, fetchDistribution } from './distribution'
import { JavaProcess } from './java'
import { freePort } from './ports'
import { type NodePlace, serverProperties } from './properties'
import type { KafkaNode, KafkaOptions, RunningKafka } from './types'

class ProcessNode implements KafkaNode {
  readonly id: number
  readonly address: string
  private java: JavaProcess | undefined
  private starts = 0

  constructor(
    place: NodePlace,
    private readonly directory: string,
    private readonly distribution: Distribution,
  ) {
    this.id = place.id
    this.address = `127.0.0.1:${place.port}`
  }

  async start(): Promise<void> {
    this.starts++
    const config = join(this.directory, 'server.properties')
    this.java = new JavaProcess([...this.distribution.jvmArguments, 'kafka.Kafka', config], this.logFile(this.starts))
    await this.java.says('Kafka Server started')
  }

  async kill(): Promise<void> {
    await this.java?.end('SIGKILL')
  }

  async pause(): Promise<void> {
    this.java?.signal('SIGSTOP')
  }

  async resume(): Promise<void> {
    this.java?.signal('SIGCONT')
  }

  async log(): Promise<string> {
    const files = Array.from({ length: this.starts }, (_, i) => readFile(this.logFile(i + 1), 'utf8'))
    return (await Promise.all(files)).join('')
  }

  private logFile(start: number): string {
    return join(this.directory, `start-${start}.log`)
  }
}

/** @throws KafkaUnavailable where Java or Maven is missing. */
export async function startProcessKafka(options: KafkaOptions = {}): Promise<RunningKafka> {
  const distribution = await fetchDistribution()
  const directory = mkdtempSync(join(tmpdir(), 'kafka-'))
  const release = guard({ directory })
  const ids = Array.from({ length: options.nodes ?? 1 }, (_, i) => i + 1)
  const controllers = await Promise.all(ids.map(freePort))
  const nodes: ProcessNode[] = []
  for (const id of ids) {
    const home = join(directory, `node-${id}`)
    const place = { id, port: await freePort(), controllers, data: join(home, 'data') }
    format(place, distribution)
    writeFileSync(join(home, 'server.properties'), serverProperties(place, options))
    nodes.push(new ProcessNode(place, home, distribution))
  }

  const remove = async () => {
    await Promise.all(nodes.map(node => node.kill()))
    await rm(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    release()
  }
  try {
    await Promise.all(nodes.map(node => node.start()))
  } catch (error) {
    await remove()
    throw error
  }
  return { kind: 'process', nodes, brokers: nodes.map(node => node.address), remove }
}

/** What `kafka-storage format` would write, without a JVM for each node. */
function format({ id, data }: NodePlace, { bootstrapCheckpoint }: Distribution): void {
  mkdirSync(data, { recursive: true })
  copyFileSync(bootstrapCheckpoint, join(data, 'bootstrap.checkpoint'))
  const directoryId = randomBytes(16).toString('base64url')
  writeFileSync(
    join(data, 'meta.properties'),
    `version=1\ncluster.id=${clusterId}\nnode.id=${id}\ndirectory.id=${directoryId}\n`,
  )
}
