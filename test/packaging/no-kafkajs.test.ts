/** The commands without kafkajs beside them: only those that read a cluster need it, and they say so. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'

const root = join(__dirname, '../..')
let directory: string

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'no-kafkajs-'))
  for (const part of ['dist', 'package.json']) cpSync(join(root, part), join(directory, part), { recursive: true })
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

function run(args: string[], input = '') {
  const command = [join(directory, 'dist/cli/main.js'), ...args]
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { input, encoding: 'utf8' })
  return { status, stdout, stderr }
}

test('inspect says that it is missing and what helps', () => {
  expect(run(['inspect', '--brokers', '127.0.0.1:1', '--group', 'g'])).toEqual({
    status: 1,
    stdout: '',
    stderr: 'inspect: kafkajs is not installed beside this package; npm install kafkajs\n',
  })
})

test('plan goes without it', () => {
  const request = JSON.stringify({ strategy: 'sticky', topics: { t: 1 }, members: [{ memberId: 'a', topics: ['t'] }] })
  expect(run(['plan'], request)).toMatchObject({ status: 0, stderr: '' })
})
