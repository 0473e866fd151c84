// npm run soak -- [--minutes 30] [--seed N]: a long random life of a cooperative group on two brokers.
import { ensurePackages, run } from './lib/run.mjs'

await ensurePackages()
if ((await run(process.execPath, ['scripts/build.mjs'])) !== 0) process.exit(1)
const { runMain } = await import('./lib/typescript.mjs')
process.exitCode = await runMain('scripts/soak/main.ts', process.argv.slice(2))
