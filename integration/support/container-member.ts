/** `examples/orders/consumer.js` in containers, on the network of a Kafka that runs in containers. */
import { GenericContainer, type StartedTestContainer } from 'testcontainers'
import { engine, testImage } from './kafka/engine'
import type { RunningKafka } from './kafka/types'
import type { Ledger } from './ledger'
import { type LogRecord, parseRecord } from './program'
import { root } from './root'
import { now } from './wait'

/** Builds the image of the project's Dockerfile; it is removed with `remove`. */
export async function buildImage(nodeImage: string): Promise<{ image: string; remove: () => Promise<void> }> {
  const image = testImage('localhost/kafkajs-sticky-assignor-orders')
  const build = GenericContainer.fromDockerfile(root).withBuildArgs({ NODE_IMAGE: nodeImage })
  await build.build(image, { deleteOnExit: false })
  return { image, remove: async () => void (await (await engine()).container.dockerode.getImage(image).remove()) }
}

/** Starts a consumer. Its container goes with the Kafka that it reads from. */
export async function startContainerMember(
  name: string,
  image: string,
  kafka: RunningKafka,
  ledger: Ledger,
  env: Record<string, string>,
): Promise<ContainerMember> {
  const { name: network, brokers, labels } = kafka.network!
  const log: LogRecord[] = []
  const container = await new GenericContainer(image)
    .withNetworkMode(network)
    .withLabels(labels)
    .withEnvironment({ NAME: name, BROKERS: brokers.join(','), LOG_LEVEL: 'debug', ...env })
    .withLogConsumer(stream => {
      let rest = ''
      stream.on('data', data => {
        const lines = (rest + data).split('\n')
        rest = lines.pop()!
        for (const line of lines) read(line, name, log, ledger)
      })
    })
    .start()
  return new ContainerMember(name, log, network, container)
}

export class ContainerMember {
  private address = ''

  constructor(
    readonly name: string,
    /** Records of its log, without those of single orders. */
    readonly log: readonly LogRecord[],
    private readonly networkName: string,
    private readonly container: StartedTestContainer,
  ) {}

  /** SIGKILL. */
  async kill(): Promise<void> {
    await (await this.handle()).kill({ signal: 'SIGKILL' })
  }

  /** SIGTERM, as an orchestrator ends a container. */
  async stop(): Promise<void> {
    await (await this.handle()).stop({ t: 20 })
  }

  async pause(): Promise<void> {
    await (await this.handle()).pause()
  }

  async resume(): Promise<void> {
    await (await this.handle()).unpause()
  }

  /** Takes it off the network: nothing arrives any more, and nobody is told. */
  async cut(): Promise<void> {
    const network = await this.network()
    const { NetworkSettings } = await (await this.handle()).inspect()
    this.address = Object.values(NetworkSettings.Networks)[0]!.IPAddress
    await network.disconnect({ Container: this.container.getId(), Force: true })
  }

  /** Back on the network under its old address: with another one its sockets would stay dead until they time out. */
  async heal(): Promise<void> {
    const network = await this.network()
    const endpoint = { IPAMConfig: { IPv4Address: this.address } }
    await network.connect({ Container: this.container.getId(), EndpointConfig: endpoint })
  }

  private async network() {
    return (await engine()).network.getById(this.networkName)
  }

  private async handle() {
    return (await engine()).container.getById(this.container.getId())
  }
}

function read(line: string, name: string, log: LogRecord[], ledger: Ledger): void {
  const record = parseRecord(line)
  if (!record) return
  if (record.event !== 'handled') {
    log.push(record)
    return
  }
  const at = { topic: String(record.topic), partition: Number(record.partition), offset: Number(record.offset) }
  ledger.handling(name, at, now())
  ledger.handled(name, at, now())
}
