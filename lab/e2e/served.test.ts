/** The page as `kafkajs-sticky-assignor lab` of the built package serves it. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { boardOf, executable, launch, open } from './browser'

const inBrowser = executable ? describe : describe.skip
const TIME = 120_000

inBrowser('kafkajs-sticky-assignor lab', () => {
  let browser: Browser
  let server: ChildProcess
  beforeAll(async () => {
    browser = await launch()
    server = spawn(process.execPath, [join(__dirname, '../../dist/cli/main.js'), 'lab'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
  }, TIME)
  afterAll(async () => {
    server.kill('SIGKILL')
    await browser.close()
  })

  it(
    'serves the page, which asks for nothing else, and ends on an interrupt',
    async () => {
      const [line] = (await once(server.stdout!, 'data')) as [Buffer]
      const from = /http:\S+/.exec(line.toString())![0]
      const { page, complaints } = await open(browser, '#preset=worked-trace', { from })
      expect((await boardOf(page, 'sticky')).shares).toMatchObject({ Z: { t: [0, 1, 6] } })
      expect(complaints).toEqual([])
      server.kill('SIGINT')
      expect(await once(server, 'exit')).toEqual([0, null])
      await page.context().close()
    },
    TIME,
  )
})
