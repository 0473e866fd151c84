// A Prometheus for the test that lets it read a live group, and promtool for the alert rules.
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { output, root, run, seconds } from './run.mjs'

const folder = join(root, '.cache/prometheus')
const found = () => [join(folder, 'usr/bin/prometheus'), '/usr/bin/prometheus'].find(existsSync)

/**
 * Unpacks Debian's package into .cache where none is found: installed it would start a service. What cannot be had, the
 * test reports as skipped.
 */
export async function ensurePrometheus() {
  if (found()) return console.log(`prometheus: ${found()}`)
  if (output('apt-get', ['--version']) === undefined) {
    return console.log('prometheus: none found, and no apt-get to fetch it')
  }
  const start = Date.now()
  console.log('prometheus: apt-get download prometheus, unpacked into .cache, because none is there')
  if (process.getuid?.() === 0) await run('apt-get', ['update', '-qq'])
  mkdirSync(folder, { recursive: true })
  const fetch = 'apt-get download -qq prometheus && dpkg-deb -x prometheus_*.deb . && rm prometheus_*.deb'
  if ((await run('sh', ['-c', `cd '${folder}' && ${fetch}`])) !== 0) rmSync(folder, { recursive: true, force: true })
  console.log(found() ? `prometheus unpacked in ${seconds(start)}` : 'prometheus: could not be fetched')
}
