// Builds each page into one file in lab/dist, and says how large it is. Fails above the bound.
import { readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'

const bounds = { 'index.html': 120_000, 'live.html': 60_000 }

const here = dirname(fileURLToPath(import.meta.url))
const kB = bytes => `${(bytes / 1000).toFixed(1)} kB`
rmSync(join(here, 'dist'), { recursive: true, force: true })
for (const [file, bound] of Object.entries(bounds)) {
  await build({
    configFile: join(here, 'vite.config.mjs'),
    logLevel: 'warn',
    build: { rolldownOptions: { input: join(here, file) } },
  })
  const page = readFileSync(join(here, 'dist', file))
  console.log(`lab/dist/${file}: ${kB(page.length)} (${kB(gzipSync(page).length)} compressed), at most ${kB(bound)}`)
  if (page.length > bound) {
    console.error('the page is too large')
    process.exitCode = 1
  }
}
