/**
 * Sees to it that nothing outlives the process that started it: not after a failing test, not after Ctrl-C, not after
 * a kill -9. A small process of its own session holds the list and clears it when its standard input closes, which the
 * operating system does for every way in which we can end.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { root } from './root'

/** A process by id, a directory by path, or everything in the container engine under a label. */
export type Guarded = { pid: number } | { directory: string } | { label: string }

let keeper: ChildProcess | undefined
const guarded = new Set<Guarded>()

function write(action: 'guard' | 'release', what: Guarded): void {
  keeper?.stdin?.write(`${JSON.stringify({ action, ...what })}\n`)
}

/** Returns the call that says it is gone. */
export function guard(what: Guarded): () => void {
  if (!keeper) {
    keeper = spawn(process.execPath, [join(root, 'integration/support/keeper-process.cjs')], {
      detached: true,
      stdio: ['pipe', 'ignore', 'inherit'],
    })
    keeper.stdin?.on('error', () => {})
    keeper.unref()
    ;(keeper.stdin as unknown as { unref(): void }).unref()
  }
  guarded.add(what)
  write('guard', what)
  return () => {
    if (!guarded.delete(what)) return
    write('release', what)
    if (guarded.size > 0) return
    keeper?.stdin?.end()
    keeper = undefined
  }
}
