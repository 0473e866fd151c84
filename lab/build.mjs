// Builds the page into one file, lab/dist/index.html, and says how large it is. Fails above the bound.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'

const BOUND = 120_000

const here = dirname(fileURLToPath(import.meta.url))
await build({ configFile: join(here, 'vite.config.mjs'), logLevel: 'warn' })

const page = readFileSync(join(here, 'dist/index.html'))
const kB = bytes => `${(bytes / 1000).toFixed(1)} kB`
console.log(`lab/dist/index.html: ${kB(page.length)} (${kB(gzipSync(page).length)} compressed), at most ${kB(BOUND)}`)
if (page.length > BOUND) {
  console.error('the page is too large')
  process.exit(1)
}
