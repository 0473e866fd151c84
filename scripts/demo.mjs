// npm run demo: installs what is missing, builds, then runs scripts/demo/main.ts.
import { ensurePackages, run } from './lib/run.mjs'

await ensurePackages()
// Always: what was built before may be older than the sources.
if ((await run(process.execPath, ['scripts/build.mjs'])) !== 0) process.exit(1)

// Ends at Ctrl-C by the usual way: what was started is removed by a process that watches us.
const { runMain } = await import('./lib/typescript.mjs')
process.exitCode = await runMain('scripts/demo/main.ts', process.argv.slice(2))
