// A Chromium for the tests of the page.
import { existsSync } from 'node:fs'
import { output, run, seconds } from './run.mjs'

/** Where systems put it; CHROMIUM names another one. */
const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const found = () => process.env.CHROMIUM || places.find(existsSync)

/** Installs Chromium where none is found and we may, and says so before. What it cannot do, the tests report as skipped. */
export async function ensureBrowser() {
  if (found()) return console.log(`browser: ${found()}`)
  const mayInstall = process.getuid?.() === 0 && output('apt-get', ['--version']) !== undefined
  if (!mayInstall) {
    return console.log(
      'browser: none found, and only root on Debian gets one installed; set CHROMIUM to use another one',
    )
  }
  const start = Date.now()
  console.log('browser: apt-get install chromium, because none is there')
  const env = { DEBIAN_FRONTEND: 'noninteractive' }
  await run('apt-get', ['update', '-qq'], { env })
  await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium', 'fonts-dejavu-core'], { env })
  console.log(found() ? `browser installed in ${seconds(start)}` : 'browser: could not be installed')
}
