// npm run bench:pause, npm run bench:groups: builds, then runs bench/NAME/main.ts.
import { ensurePackages, run } from '../../scripts/lib/run.mjs'
import { runMain } from '../../scripts/lib/typescript.mjs'

const [name, ...args] = process.argv.slice(2)
await ensurePackages()
if ((await run(process.execPath, ['scripts/build.mjs'])) !== 0) process.exit(1)
process.exitCode = await runMain(`bench/${name}/main.ts`, args)
