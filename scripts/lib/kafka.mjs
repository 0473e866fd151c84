// What the integration tests need beside the packages: a container engine with images of Kafka and Node, and compose;
// or Java and Maven for a broker process. As root on Debian what is missing is installed, and said before.
import { output, run } from './run.mjs'

const debian = () => output('apt-get', ['--version']) !== undefined
const env = { DEBIAN_FRONTEND: 'noninteractive' }

/** Why nothing is to be set up here; undefined where it may be. */
export function handsOff() {
  if (process.env.KAFKA_BROKER) return `KAFKA_BROKER=${process.env.KAFKA_BROKER} says where Kafka runs`
  if (process.env.DOCKER_HOST) return `DOCKER_HOST=${process.env.DOCKER_HOST} says where the engine is`
  if (process.getuid?.() !== 0) return 'only root may install and start a container engine'
  if (!debian()) return 'there is no apt-get'
  return undefined
}

export async function ensureKafka() {
  const reason = handsOff()
  if (reason) console.log(`kafka: using what is there, because ${reason}`)
  else if ((await run('bash', ['scripts/engine/start.sh'])) !== 0)
    console.log('kafka: no engine, so brokers are processes')
  if (!reason) {
    // Both ways need them: the broker process, and the image that is built from the same jars.
    await install('javac', 'openjdk-17-jdk-headless', 'they run a broker and build its image')
    await install('mvn', 'maven', 'it fetches the broker')
  }
  if (process.env.KAFKA_BROKER === 'process' || output('docker', ['info']) === undefined) return
  await ensureImage('KAFKA_IMAGE', 'apache/kafka:4.3.1', 'kafka')
  await ensureImage('NODE_IMAGE', 'node:20-bookworm-slim', 'node')
  if (!reason && !output('docker', ['compose', 'version'])) {
    await install('docker-compose', 'docker-compose', 'the walk through docker-compose.yml needs it')
  }
}

async function install(command, pack, why) {
  if (output('sh', ['-c', `command -v ${command}`])) return
  console.log(`${command}: apt-get install ${pack}, because ${why}`)
  await run('apt-get', ['update', '-qq'], { env })
  await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', pack], { env })
}

/** Exports an image under the variable: the official one if it is there or can be pulled, else a stand-in built here. */
async function ensureImage(variable, official, kind) {
  if (process.env[variable]) return console.log(`${kind} image: ${process.env[variable]}, because ${variable} says so`)
  const has = output('docker', ['image', 'inspect', official]) !== undefined
  if (has || output('docker', ['pull', official], { timeout: 600_000 }) !== undefined) {
    process.env[variable] = official
    return console.log(`${kind} image: ${official}`)
  }
  const standIn = `localhost/${official.split('/').at(-1).split('-')[0]}`
  console.log(`${kind} image: a stand-in, ${standIn}, because ${official} is not here and cannot be pulled`)
  if ((await run('bash', ['scripts/images/build.sh', kind])) === 0) process.env[variable] = standIn
}
