// npm run kafka: a Kafka with a topic and traffic, for the programs of examples/, until Ctrl-C.
import { ensurePackages, run } from './lib/run.mjs'

await ensurePackages()
if ((await run(process.execPath, ['scripts/build.mjs'])) !== 0) process.exit(1)
const { runMain } = await import('./lib/typescript.mjs')
process.exitCode = await runMain('scripts/kafka/serve.ts', process.argv.slice(2))
