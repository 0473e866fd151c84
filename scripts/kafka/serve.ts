/** A Kafka with the topics of the examples and some traffic, until the process is asked to end. */
import { startKafka } from '../../integration/support/kafka'
import { chooseKafka, describeChoice } from '../../integration/support/kafka/choose'
import { Program } from '../../integration/support/program'

/** @returns the exit status. */
export async function main(): Promise<number> {
  const asked = new Promise(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve)
  })
  const choice = await chooseKafka()
  console.log(`Kafka in ${describeChoice(choice)}`)
  const kafka = await startKafka({}, choice)
  const env = { BROKERS: kafka.brokers.join(',') }
  const programs: Program[] = []
  try {
    for (const topic of ['orders', 'payments']) {
      const creation = new Program('topics', 'orders/topics.js', { ...env, TOPIC: topic })
      if ((await creation.exited) !== 0)
        throw new Error(`the topic ${topic} was not created:\n${creation.output.join('\n')}`)
      programs.push(new Program('producer', 'orders/producer.js', { ...env, TOPIC: topic }))
    }
    console.log(`
Orders and payments are written, 12 partitions each. In other terminals:

  export BROKERS=${env.BROKERS}
  node examples/minimal.js

Ctrl-C ends it.`)
    await asked
  } finally {
    await Promise.all(programs.map(program => program.end('SIGKILL')))
    await kafka.remove()
  }
  return 0
}
