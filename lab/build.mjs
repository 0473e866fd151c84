// Builds each page into one file in lab/dist, and says how large it is. Fails above the bound.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { compressed } from './compressed.mjs'

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
  const path = join(here, 'dist', file)
  const plain = readFileSync(path, 'utf8')
  const page = Buffer.from(compressed(plain))
  writeFileSync(path, page)
  console.log(`lab/dist/${file}: ${kB(page.length)} (its script unpacked: ${kB(plain.length)}), at most ${kB(bound)}`)
  if (page.length > bound) {
    console.error('the page is too large')
    process.exitCode = 1
  }
}
