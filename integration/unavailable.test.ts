/** Where no Kafka can run, the message names what is missing, what was tried and the command that helps. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { root } from './support/root'

const program =
  "import('./scripts/lib/typescript.mjs').then(({ runMain }) => runMain('scripts/kafka/serve.ts', [])).then(process.exit)"

/** A PATH of its own. */
let bin: string
beforeEach(() => {
  bin = mkdtempSync(join(tmpdir(), 'bin-'))
})
afterEach(() => rmSync(bin, { recursive: true }))

function serve(env: NodeJS.ProcessEnv) {
  const { KAFKA_BROKER: _, KAFKA_IMAGE: __, ...rest } = process.env
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', program], {
    cwd: root,
    encoding: 'utf8',
    env: { ...rest, PATH: bin, ...env },
  })
  return { status, stdout, stderr }
}

const nowhere = 'tcp://127.0.0.1:1'

test('no engine and no Java', () => {
  const { status, stdout, stderr } = serve({ DOCKER_HOST: nowhere })
  expect(stdout).toContain(`processes of this machine: no container engine answers at DOCKER_HOST=${nowhere}`)
  expect(stderr).toContain('No Kafka can run here. Not in a container: no container engine answers')
  expect(stderr).toContain('java is missing')
  expect(stderr).toContain('apt-get install openjdk-17-jre-headless')
  expect(status).toBe(1)
})

test('no engine and a Java that is too old', () => {
  writeFileSync(join(bin, 'java'), '#!/bin/sh\necho \'openjdk version "11.0.2"\' >&2\n', { mode: 0o755 })
  const { status, stderr } = serve({ DOCKER_HOST: nowhere, PATH: `${bin}:/bin` })
  expect(stderr).toContain('java is version 11; a broker process needs 17 or newer')
  expect(status).toBe(1)
})

test('a broker in containers is asked for and there is no engine', () => {
  const { status, stderr } = serve({ DOCKER_HOST: nowhere, KAFKA_BROKER: 'container' })
  expect(stderr).toContain('KAFKA_BROKER=container, but no container engine answers')
  expect(status).toBe(1)
})

test('an unknown kind of broker', () => {
  const { status, stderr } = serve({ KAFKA_BROKER: 'cloud' })
  expect(stderr).toContain('KAFKA_BROKER must be container or process, not cloud')
  expect(status).toBe(1)
})
