/** Kafka as containers. */
import { AbstractStartedContainer, GenericContainer, type StartedTestContainer, Wait } from 'testcontainers'
import { guard } from '../keeper'
import { until } from '../wait'
import { engine, ownerLabels } from './engine'
import { freePort } from './ports'
import { commonProperties } from './properties'
import type { KafkaNode, KafkaOptions, RunningKafka } from './types'

const started = 'Kafka Server started'

class KafkaContainer extends GenericContainer {
  constructor(
    image: string,
    private readonly id: number,
    private readonly port: number,
    options: KafkaOptions,
  ) {
    super(image)
    const ids = Array.from({ length: options.nodes ?? 1 }, (_, i) => i + 1)
    this.withExposedPorts({ container: 9092, host: port })
      .withEnvironment({
        ...environment({
          ...commonProperties(id, options),
          'controller.quorum.voters': ids.map(each => `${each}@${hostname(each)}:9093`).join(','),
          listeners: 'HOST://:9092,NETWORK://:19092,CONTROLLER://:9093',
          'advertised.listeners': `HOST://127.0.0.1:${port},NETWORK://${hostname(id)}:19092`,
          'listener.security.protocol.map': 'HOST:PLAINTEXT,NETWORK:PLAINTEXT,CONTROLLER:PLAINTEXT',
          'inter.broker.listener.name': 'NETWORK',
        }),
        KAFKA_HEAP_OPTS: '-Xms64m -Xmx256m',
        KAFKA_JVM_PERFORMANCE_OPTS: '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC',
      })
      .withNetworkAliases(hostname(id))
      .withWaitStrategy(Wait.forLogMessage(started))
      .withStartupTimeout(120_000)
  }

  override async start(): Promise<StartedKafkaContainer> {
    return new StartedKafkaContainer(await super.start(), this.id, `127.0.0.1:${this.port}`)
  }
}

class StartedKafkaContainer extends AbstractStartedContainer implements KafkaNode {
  constructor(
    container: StartedTestContainer,
    readonly id: number,
    readonly address: string,
  ) {
    super(container)
  }

  async kill(): Promise<void> {
    await (await this.handle()).kill({ signal: 'SIGKILL' }).catch(error => {
      // It does not run: killed already, or about to start.
      if (error.statusCode !== 409) throw error
    })
  }

  async start(): Promise<void> {
    const starts = await this.starts()
    await (await this.handle()).start()
    await until(`that node ${this.id} has started again`, async () => (await this.starts()) > starts, {
      timeoutMs: 120_000,
      everyMs: 200,
    })
  }

  async pause(): Promise<void> {
    await (await this.handle()).pause()
  }

  async resume(): Promise<void> {
    await (await this.handle()).unpause()
  }

  async log(): Promise<string> {
    return (await (await this.handle()).logs({ stdout: true, stderr: true })).toString()
  }

  private async starts(): Promise<number> {
    return (await this.log()).split(started).length - 1
  }

  private async handle() {
    return (await engine()).container.getById(this.getId())
  }
}

const hostname = (id: number): string => `kafka${id}`

/** Broker properties as the image takes them. */
function environment(properties: Record<string, string>): Record<string, string> {
  const variable = (name: string) => `KAFKA_${name.replaceAll('.', '_').toUpperCase()}`
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [variable(name), value]))
}

export async function startContainerKafka(image: string, options: KafkaOptions = {}): Promise<RunningKafka> {
  try {
    return await startOnce(image, options)
  } catch (error) {
    // Between our look and the engine's somebody may take a port or a subnet.
    if (!/already in use|already allocated|overlaps/.test(String(error))) throw error
    return startOnce(image, options)
  }
}

async function startOnce(image: string, options: KafkaOptions): Promise<RunningKafka> {
  const { labels, label } = ownerLabels()
  const release = guard({ label })
  const { dockerode } = (await engine()).container
  const name = `kafka-${label.replace(/\W/g, '-')}`
  // A subnet of its own: only with one may a container that was cut off come back under its old address.
  const subnet = `10.${200 + Math.floor(Math.random() * 50)}.${Math.floor(Math.random() * 256)}.0/24`
  const remove = async () => {
    const filters = JSON.stringify({ label: [label] })
    const containers = await dockerode.listContainers({ all: true, filters })
    await Promise.all(containers.map(({ Id }) => dockerode.getContainer(Id).remove({ force: true, v: true })))
    for (const { Id } of await dockerode.listNetworks({ filters })) await dockerode.getNetwork(Id).remove()
    release()
  }
  try {
    await dockerode.createNetwork({
      Name: name,
      Labels: labels,
      IPAM: { Driver: 'default', Config: [{ Subnet: subnet }] },
    })
    const ids = Array.from({ length: options.nodes ?? 1 }, (_, i) => i + 1)
    const starting = ids.map(async id => {
      const container = new KafkaContainer(image, id, await freePort(), options)
      return container.withLabels(labels).withNetworkMode(name).start()
    })
    // All, so that none is still on its way when we remove what is there.
    const outcomes = await Promise.allSettled(starting)
    const nodes = outcomes.map(outcome => {
      if (outcome.status === 'rejected') throw outcome.reason
      return outcome.value
    })
    return {
      kind: 'container',
      nodes,
      brokers: nodes.map(node => node.address),
      network: { name, brokers: ids.map(id => `${hostname(id)}:19092`), labels },
      remove,
    }
  } catch (error) {
    await remove()
    throw error
  }
}
