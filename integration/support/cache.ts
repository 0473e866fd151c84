import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { guard } from './keeper'
import { root } from './root'
import { say, seconds } from './wait'

/**
 * A directory of the project's `.cache/` that is built once. Built aside and renamed, so that neither Ctrl-C nor a
 * second run at the same time leaves half of one.
 */
export async function cached(name: string, build: (aside: string) => Promise<void>): Promise<string> {
  const directory = join(root, '.cache', name)
  if (existsSync(directory)) return directory
  const start = Date.now()
  const aside = `${directory}.${process.pid}`
  const release = guard({ directory: aside })
  mkdirSync(aside, { recursive: true })
  await build(aside)
  try {
    renameSync(aside, directory)
  } catch (error) {
    if (!existsSync(directory)) throw error
    rmSync(aside, { recursive: true, force: true })
  }
  release()
  say(`${directory} is ready after ${seconds(Date.now() - start)}`)
  return directory
}
