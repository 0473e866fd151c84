/** A real Prometheus that reads the metrics of programs on this machine. */
import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from './kafka/ports'
import { guard } from './keeper'
import { root } from './root'
import { until } from './wait'

const binary = [join(root, '.cache/prometheus/usr/bin/prometheus'), '/usr/bin/prometheus'].find(existsSync)

/** Why there is none; undefined where there is. */
export const prometheusMissing = binary ? undefined : 'no Prometheus: npm run verify fetches that of Debian'

/** What `promtool` prints. Throws with it where it finds a fault. */
export async function promtool(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(join(dirname(binary!), 'promtool'), args, { cwd: root })
  return stdout
}

export interface Sample {
  labels: Record<string, string>
  value: number
}

export class Prometheus {
  private constructor(
    private readonly url: string,
    readonly stop: () => Promise<void>,
  ) {}

  /** Reads the targets (`host:port`) each second, and evaluates the rules of the project. */
  static async start(targets: string[]): Promise<Prometheus> {
    const directory = mkdtempSync(join(tmpdir(), 'prometheus-'))
    const release = guard({ directory })
    const config = {
      global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
      rule_files: [join(root, 'docs/prometheus/alerts.yml')],
      scrape_configs: [{ job_name: 'consumers', static_configs: [{ targets }] }],
    }
    // JSON is YAML.
    writeFileSync(join(directory, 'prometheus.yml'), JSON.stringify(config))
    const address = `127.0.0.1:${await freePort()}`
    const child = spawn(
      binary!,
      [
        `--config.file=${join(directory, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(directory, 'data')}`,
        `--web.listen-address=${address}`,
      ],
      { stdio: 'ignore', detached: true },
    )
    const releaseChild = child.pid ? guard({ pid: child.pid }) : () => {}
    const exited = new Promise<void>(resolve => child.once('close', () => resolve()))
    const stop = async () => {
      child.kill('SIGKILL')
      await exited
      releaseChild()
      rmSync(directory, { recursive: true, force: true })
      release()
    }
    await until('that Prometheus is ready', async () => (await fetch(`http://${address}/-/ready`)).ok).catch(
      async error => {
        await stop()
        throw error
      },
    )
    return new Prometheus(`http://${address}/api/v1`, stop)
  }

  async query(expression: string): Promise<Sample[]> {
    const { result } = await this.get<{ result: { metric: Record<string, string>; value: [number, string] }[] }>(
      `query?query=${encodeURIComponent(expression)}`,
    )
    return result.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }))
  }

  /** Health of each alert rule by name: `ok` when it could be evaluated. */
  async rules(): Promise<Record<string, string>> {
    const { groups } = await this.get<{ groups: { rules: { name: string; health: string }[] }[] }>('rules')
    return Object.fromEntries(groups.flatMap(({ rules }) => rules.map(({ name, health }) => [name, health])))
  }

  private async get<Data>(path: string): Promise<Data> {
    const answer = (await (await fetch(`${this.url}/${path}`)).json()) as { status: string; error?: string; data: Data }
    if (answer.status !== 'success') throw new Error(`${path}: ${answer.error}`)
    return answer.data
  }
}
