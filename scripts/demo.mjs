// npm run demo: installs and builds what is missing, then runs scripts/demo/main.ts.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ensurePackages, root, run } from './lib/run.mjs'

await ensurePackages()
if (!existsSync(join(root, 'dist/index.js')) && (await run(process.execPath, ['scripts/build.mjs'])) !== 0)
  process.exit(1)

// Ends at Ctrl-C by the usual way: what was started is removed by a process that watches us.
const { runMain } = await import('./lib/typescript.mjs')
try {
  process.exitCode = await runMain('scripts/demo/main.ts', process.argv.slice(2))
} catch (error) {
  console.error(error?.name === 'KafkaUnavailable' ? `demo: ${error.message}` : error)
  process.exitCode = 1
}
