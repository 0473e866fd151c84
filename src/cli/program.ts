import { type Command, type Io, UsageError, write } from './command'
import { compareCommand } from './compare'
import { inspectCommand } from './inspect'
import { labCommand } from './lab'
import { planCommand } from './plan'

const commands: Record<string, Command> = {
  plan: planCommand,
  compare: compareCommand,
  inspect: inspectCommand,
  lab: labCommand,
}

/** Runs a command line without the program's name; returns the exit status. */
export async function runProgram(args: readonly string[], io: Io): Promise<number> {
  const [name = '', ...rest] = args
  if (name === '--version') {
    await write(io.stdout, `${packageVersion()}\n`)
    return 0
  }
  if (name === '--help' || name === '-h' || name === 'help') {
    await write(io.stdout, helpText())
    return 0
  }
  const command = Object.hasOwn(commands, name) ? commands[name]! : null
  if (!command) {
    await write(io.stderr, `${name === '' ? '' : `unknown command ${JSON.stringify(name)}\n\n`}${helpText()}`)
    return 2
  }
  if (command.help && (rest.includes('--help') || rest.includes('-h'))) {
    await write(io.stdout, command.help)
    return 0
  }
  try {
    return await command.run(rest, io)
  } catch (error) {
    if (!(error instanceof UsageError) && !isParseArgsError(error)) throw error
    await write(io.stderr, `${error.message}\n\n${command.help ?? helpText()}`)
    return 2
  }
}

function helpText(): string {
  const width = Math.max(...Object.keys(commands).map(name => name.length))
  const list = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}\n`)
  return `Usage: kafkajs-sticky-assignor <command> [options]

Commands:
${list.join('')}
Options:
  --help     show this text, or that of a command
  --version  show the version
`
}

/** node:util throws errors with such codes for unknown and incomplete flags. */
function isParseArgsError(error: unknown): error is Error {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
  return code.startsWith('ERR_PARSE_ARGS_')
}

function packageVersion(): string {
  return (require('../../package.json') as { version: string }).version
}
