/** However a program that runs a Kafka ends, nothing of it is left: no process, no directory, no container, no network. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, test } from '@jest/globals'
import { root } from './support/root'
import { Hopeless, until } from './support/wait'

const kinds = process.env.KAFKA_BROKER === 'container' ? ['process', 'container'] : ['process']
const endings = [
  ['Ctrl-C', 'SIGINT'],
  ['kill -9', 'SIGKILL'],
] as const

/** `npm run kafka` without its build. */
const program = "import('./scripts/lib/typescript.mjs').then(({ runMain }) => runMain('scripts/kafka/serve.ts', []))"

/** Ids of all processes that `pid` and its children have started. */
function descendants(pid: number): number[] {
  const lines = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).stdout.trim().split('\n')
  const parents = lines.map(line => line.trim().split(/\s+/).map(Number))
  const found: number[] = []
  for (const todo = [pid]; todo.length > 0; ) {
    const parent = todo.pop()
    for (const [child, of] of parents)
      if (of === parent) {
        found.push(child!)
        todo.push(child!)
      }
  }
  return found
}

function isAlive(pid: number): boolean {
  // A zombie that nobody has waited for yet is dead.
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z')
}

/** Containers and networks of the engine that belong to the process. */
async function inEngine(pid: number): Promise<number> {
  const { engine } = require('./support/kafka/engine') as typeof import('./support/kafka/engine')
  const { dockerode } = (await engine()).container
  const filters = JSON.stringify({ label: [`kafkajs-sticky-assignor.owner=${pid}`] })
  const containers = await dockerode.listContainers({ all: true, filters })
  return containers.length + (await dockerode.listNetworks({ filters })).length
}

/** Directories of brokers, as their command lines name them. */
function directoriesOf(pids: number[]): string[] {
  const lines = pids.map(pid => spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).stdout)
  const place = new RegExp(`${tmpdir()}/kafka-\\w+`, 'g')
  return lines.flatMap(line => line.match(place) ?? [])
}

test.each(kinds.flatMap(kind => endings.map(ending => [kind, ...ending] as const)))(
  'a %s Kafka after %s',
  async (kind, _, signal) => {
    const child = spawn(process.execPath, ['-e', program], {
      cwd: root,
      detached: true,
      env: { ...process.env, KAFKA_BROKER: kind },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let isRunning = true
    const ended = new Promise<void>(resolve =>
      child.once('exit', () => {
        isRunning = false
        resolve()
      }),
    )
    let output = ''
    child.stdout.on('data', data => {
      output += data
    })
    const serves = () => {
      if (!isRunning) throw new Hopeless('It has ended.')
      return output.includes('Ctrl-C ends it')
    }
    await until('that it serves', serves, { timeoutMs: 120_000, explain: () => output })
    const started = descendants(child.pid!)
    // Its keeper and two producers at least.
    expect(started.length).toBeGreaterThanOrEqual(3)
    if (kind === 'container') expect(await inEngine(child.pid!)).toBe(2)
    const directories = directoriesOf(started)
    expect(directories.filter(existsSync)).toHaveLength(kind === 'process' ? 1 : 0)

    child.kill(signal)
    await ended
    await until('that its processes have ended', () => !started.some(isAlive))
    await until('that its directories are gone', () => !directories.some(existsSync))
    if (kind === 'container')
      await until('that its containers and networks are gone', async () => (await inEngine(child.pid!)) === 0)
  },
)
