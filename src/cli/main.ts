#!/usr/bin/env node
import { runProgram } from './program'

// Whoever reads the output may stop reading: `… | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})

runProgram(process.argv.slice(2), process).then(
  status => {
    process.exitCode = status
    // Everything has been said. kafkajs goes on retrying for a while what nobody waits for any more.
    setTimeout(() => process.exit(), 50).unref()
  },
  error => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
    process.exitCode = 1
  },
)
