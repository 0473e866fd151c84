import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { guard } from './keeper'
import { root } from './root'

/** A program of `examples/` in a process of its own, whose output is read line by line as it comes. */
export class Program {
  /** What it has printed, in the order in which it came; stderr too. */
  readonly output: string[] = []
  readonly exited: Promise<number | null>
  private readonly child: ChildProcess

  constructor(
    readonly name: string,
    file: string,
    env: Record<string, string>,
    onLine: (line: string) => void = () => {},
  ) {
    this.child = spawn(process.execPath, [join(root, 'examples', file)], {
      detached: true,
      env: { ...process.env, ...env, NAME: name },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const release = this.child.pid ? guard({ pid: this.child.pid }) : () => {}
    createInterface({ input: this.child.stdout! }).on('line', line => {
      this.output.push(line)
      onLine(line)
    })
    createInterface({ input: this.child.stderr! }).on('line', line => this.output.push(line))
    this.exited = new Promise(resolve => {
      this.child.once('close', code => {
        release()
        resolve(code)
      })
    })
  }

  /** Sends the signal; resolves to the exit status, which is null when the signal itself ended it. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    this.child.kill(signal)
    return this.exited
  }
}

/** A line of pino's JSON. */
export type LogRecord = Record<string, unknown> & { msg?: string; time?: number; event?: string }

/** The record of a line, or undefined for any other text. */
export function parseRecord(line: string): LogRecord | undefined {
  // A compose file's log has the container's name before it.
  const start = line.indexOf('{')
  if (start < 0) return undefined
  try {
    return JSON.parse(line.slice(start)) as LogRecord
  } catch {
    return undefined
  }
}
