import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { guard } from '../../integration/support/keeper'
import { root } from '../../integration/support/root'

/** A line of pino's JSON. */
export type Line = Record<string, unknown> & { msg?: string; level?: number; event?: string }

/** A program of `examples/` in a process of its own, whose log lines are read as they come. */
export class Program {
  readonly lines: Line[] = []
  readonly exited: Promise<number | null>
  private readonly child: ChildProcess

  constructor(
    readonly name: string,
    file: string,
    env: Record<string, string>,
    onLine: (line: Line) => void = () => {},
  ) {
    this.child = spawn(process.execPath, [join(root, 'examples', file)], {
      detached: true,
      env: { ...process.env, ...env, NAME: name },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const release = this.child.pid ? guard({ pid: this.child.pid }) : () => {}
    createInterface({ input: this.child.stdout! }).on('line', text => {
      const line = parse(text)
      if (line.event !== 'handled' && line.event !== 'produced') this.lines.push(line)
      onLine(line)
    })
    this.exited = new Promise(resolve => {
      this.child.once('close', code => {
        release()
        resolve(code)
      })
    })
  }

  async end(signal: NodeJS.Signals): Promise<number | null> {
    this.child.kill(signal)
    return this.exited
  }
}

function parse(text: string): Line {
  try {
    return JSON.parse(text) as Line
  } catch {
    return { msg: text }
  }
}
