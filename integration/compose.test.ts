/** The walk through docker-compose.yml, command by command as examples/README.md has it. */
import { execFile, execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Admin, Kafka, logLevel } from 'kafkajs'
import { completeOwnership, stableMembers } from './support/broker-view'
import { freePort } from './support/kafka/ports'
import { guard } from './support/keeper'
import { type LogRecord, parseRecord } from './support/program'
import { root } from './support/root'
import { now, say, seconds, until } from './support/wait'

const run = promisify(execFile)

/** `docker compose`, `docker-compose`, or why there is none. */
const compose = findCompose()
const testWithCompose = compose.command ? test : test.skip

function findCompose(): { command?: string; missing?: string } {
  if (process.env.KAFKA_BROKER !== 'container') return { missing: 'no container engine with an image of Kafka' }
  for (const command of ['docker compose', 'docker-compose']) {
    const [program, ...args] = command.split(' ')
    try {
      execFileSync(program!, [...args, 'version'], { stdio: 'ignore' })
      return { command }
    } catch {
      // The next one.
    }
  }
  return { missing: 'neither docker compose nor docker-compose' }
}

const walk = readFileSync(join(root, 'examples/README.md'), 'utf8').split('## A walk with compose')[1]!
const commands = [...walk.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block]) => block!.trim().split('\n'))

const project = `walk-${process.pid}`
const groupId = 'orders-service'
let env: NodeJS.ProcessEnv
let admin: Admin
let release = () => {}

/** Runs a command of the page in a shell, as a reader would. */
async function type(command: string): Promise<string> {
  const line = command.replaceAll('docker compose', compose.command!)
  const start = now()
  // grep finds nothing while nothing has happened yet.
  const { stdout } = await run('bash', ['-c', line], { cwd: root, env, maxBuffer: 2 ** 26 }).catch(error => {
    if (error.code === 1 && line.includes('grep')) return { stdout: '' }
    throw new Error(`${line}\n${error.stdout}\n${error.stderr}`)
  })
  if (!line.includes('grep')) say(`${command}: ${seconds(now() - start)}`)
  return stdout
}

/** Types the page's command for the log until its last line is about so many members. */
async function lastRebalance(command: string, members: number): Promise<LogRecord> {
  return until(`a rebalance of ${members} members in the log`, async () => {
    const record = parseRecord((await type(command)).trim().split('\n').at(-1)!)
    return record?.members === members ? record : undefined
  })
}

/** Waits until so many members share all partitions, by the broker's word. */
const settled = (members: number): Promise<true> =>
  until(`that ${members} consumers share the topic`, async () => {
    const described = await stableMembers(admin, groupId, members)
    if (typeof described === 'string') return undefined
    const named = described.map(({ clientId, assignment }) => ({ name: clientId, assignment }))
    return typeof (await completeOwnership(admin, ['orders'], named)) !== 'string' || undefined
  })

beforeAll(async () => {
  if (!compose.command) return
  const port = await freePort()
  release = guard({ label: `com.docker.compose.project=${project}` })
  env = { ...process.env, COMPOSE_PROJECT_NAME: project, KAFKA_PORT: String(port) }
  const retry = { retries: 20, initialRetryTime: 100, maxRetryTime: 500 }
  admin = new Kafka({ brokers: [`127.0.0.1:${port}`], logLevel: logLevel.NOTHING, retry }).admin()
})

afterAll(async () => {
  await admin?.disconnect()
  if (compose.command) await type('docker compose down -v')
  release()
})

testWithCompose(
  `scale to 4, kill one, read the moved partitions in the logs${compose.missing ? ` [${compose.missing}]` : ''}`,
  async () => {
    const [install, up3, log3, up4, log4, kill, logAfterKill, down, ...more] = commands
    expect([install, down, more]).toEqual(['npm ci && npm run build', 'docker compose down -v', []])

    await type(up3!)
    await admin.connect()
    await settled(3)
    expect(await lastRebalance(log3!, 3)).toMatchObject({ strategy: 'sticky', partitions: 12 })

    // Nothing has changed, so no consumer is made anew, which would rebalance the group twice.
    const running = await type('docker compose ps -q consumer')
    await type('docker compose up -d --scale consumer=3')
    expect(await type('docker compose ps -q consumer')).toBe(running)

    await type(up4!)
    await settled(4)
    expect(await lastRebalance(log4!, 4)).toMatchObject({ moved: 3, kept: 9, minimumMoves: 3 })

    await type(kill!)
    await settled(3)
    expect(await lastRebalance(logAfterKill!, 3)).toMatchObject({ moved: 3, kept: 9, minimumMoves: 3 })
  },
)
