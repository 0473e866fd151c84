import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { guard } from '../keeper'
import { until } from '../wait'

/** One JVM whose output goes to a file: a pipe would stop it when this process is too busy to read. */
export class JavaProcess {
  private readonly child: ChildProcess
  private readonly exited: Promise<void>

  constructor(
    args: string[],
    private readonly logFile: string,
  ) {
    const log = openSync(logFile, 'w')
    // A process group of its own, so that Ctrl-C reaches only us, who then remove it.
    this.child = spawn('java', args, { detached: true, stdio: ['ignore', log, log] })
    closeSync(log)
    this.child.unref()
    const release = this.child.pid ? guard({ pid: this.child.pid }) : () => {}
    this.exited = new Promise(resolve => {
      const gone = () => {
        release()
        resolve()
      }
      this.child.once('exit', gone)
      this.child.once('error', gone)
    })
  }

  get running(): boolean {
    return this.child.pid !== undefined && this.child.exitCode === null && this.child.signalCode === null
  }

  /** Waits until the log says `text`. Fails at once when the process ends before. */
  async says(text: string): Promise<void> {
    let log = ''
    const heard = await until(
      `"${text}" in ${this.logFile}`,
      async () => {
        const over = !this.running
        log = await readFile(this.logFile, 'utf8')
        if (log.includes(text)) return 'yes'
        return over ? 'ended' : undefined
      },
      { timeoutMs: 120_000, explain: () => endOf(log) },
    )
    if (heard === 'ended') throw new Error(`java has ended (${this.child.exitCode}): ${endOf(log)}`)
  }

  signal(signal: NodeJS.Signals): void {
    if (this.running) this.child.kill(signal)
  }

  /** Sends the signal and waits for the end. */
  async end(signal: NodeJS.Signals): Promise<void> {
    this.signal(signal)
    await this.exit()
  }

  /** Resolves to the exit status. */
  async exit(): Promise<number | null> {
    // Else a program that waits for nothing else ends here.
    this.child.ref()
    await this.exited
    return this.child.exitCode
  }
}

/** What went wrong, if it says so, and its last words: a Kafka that ends writes more than those about its end. */
function endOf(log: string): string {
  const wrong = log.split('\n').filter(line => /^\S*Exception|ERROR|FATAL/.test(line))
  return [...wrong.slice(0, 5), log.slice(-1000)].join('\n')
}
