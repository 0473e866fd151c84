/** What a page says of the machine and of the versions. */
import { spawnSync } from 'node:child_process'
import { availableParallelism, totalmem } from 'node:os'

export function machine(): string {
  const java = /version "([^"]+)"/.exec(spawnSync('java', ['-version'], { encoding: 'utf8' }).stderr ?? '')?.[1]
  const { version } = require('kafkajs/package.json') as { version: string }
  const memory = Math.round(totalmem() / 2 ** 30)
  return [
    `${availableParallelism()} cores, ${memory} GB, for brokers, producer and consumers together`,
    `Kafka 4.3.1, kafkajs ${version} on Node ${process.versions.node}`,
    java ? `Kafka's Java client 4.3.1 on Java ${java}` : "Java's consumers were not measured: no Java here",
  ].join('; ')
}
