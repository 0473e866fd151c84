/** What the README and the documentation tell one to type, and where they lead. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from '@jest/globals'
import { runProgram } from '../src/cli/program'
import { sink } from '../src/cli/testing/sink'

const root = join(__dirname, '..')
const pages = ['README.md', 'CONTRIBUTING.md', 'examples/README.md', 'bench/README.md']
for (const file of readdirSync(join(root, 'docs'))) if (file.endsWith('.md')) pages.push(`docs/${file}`)
const read = (page: string) => readFileSync(join(root, page), 'utf8')

test('every link leads to a file of the project', () => {
  const broken = pages.flatMap(page =>
    [...read(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)]
      .map(([, target]) => target!)
      .map(target => join(root, dirname(page), target))
      .filter(target => !existsSync(target))
      .map(target => `${page}: ${target}`),
  )
  expect(broken).toEqual([])
})

const compared = pages.flatMap(page =>
  [...read(page).matchAll(/^(?:npx )?kafkajs-sticky-assignor (compare [^#\n]+)/gm)].map(([, command]) =>
    command!.trim(),
  ),
)

test.each(compared.filter(command => !command.includes('--scenario')))('%s', async command => {
  const [stdout, stderr] = [sink(), sink()]
  expect(
    await runProgram(command.split(/\s+/), { stdin: process.stdin, stdout: stdout.stream, stderr: stderr.stream }),
  ).toBe(0)
  expect(stdout.text()).toContain('sticky')
})
