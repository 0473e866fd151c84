/** A real group, seen moving on the page of `lab --brokers … --group …`. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { Group } from '../../integration/support/group'
import { type RunningKafka, startKafka } from '../../integration/support/kafka'
import { say } from '../../integration/support/wait'
import { boardOf, eventually, executable, launch, open, picture, rowsOf } from './browser'

jest.setTimeout(300_000)

const inBrowser = executable ? describe : describe.skip
const markup = '<img src=x onerror=alert(1)>'

inBrowser('A live group on the page', () => {
  let browser: Browser
  let kafka: RunningKafka
  let group: Group
  let server: ChildProcess | undefined
  beforeAll(async () => {
    browser = await launch()
    kafka = await startKafka({ brokerSessionMs: 3000 })
    group = await Group.start(kafka, { topics: { orders: 6, audit: 2 }, assigners: ['sticky'] })
  })
  afterAll(async () => {
    server?.kill('SIGKILL')
    await browser?.close()
    await group?.close()
    await kafka?.remove()
  })

  /** Rows as clientId and partitions, once they are what the group says itself. */
  async function shows(page: Page, owners: ReadonlyMap<string, string>): Promise<void> {
    const expected = [...owners].map(([partition, owner]) => `${owner} ${partition}`).sort()
    await eventually(
      async () =>
        Object.entries(await rowsOf(page, '.board'))
          .flatMap(([memberId, share]) =>
            Object.entries(share).flatMap(([topic, list]) =>
              list.map(partition => `${memberId.replace(/-[0-9a-f-]{36}$/, '')} ${topic}-${partition}`),
            ),
          )
          .sort(),
      shown => shown.join() === expected.join(),
    )
  }

  it('is shown as the broker tells it, each change counted', async () => {
    await group.add('api-1')
    await group.addWith('odd', { clientId: markup, topics: ['orders'] })
    const before = await group.settled()
    const names = new Map([...before.owners].map(([partition, owner]) => [partition, owner === 'odd' ? markup : owner]))

    const program = [join(__dirname, '../../dist/cli/main.js'), 'lab', '--interval', '300']
    const flags = ['--brokers', kafka.brokers.join(','), '--group', group.groupId]
    server = spawn(process.execPath, [...program, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [line] = (await once(server.stdout!, 'data')) as [Buffer]
    const from = /http:\S+/.exec(line.toString())![0]
    const { page, complaints } = await open(browser, '', { from, ready: 'state' })
    await shows(page, names)
    expect(await page.getByTestId('state').textContent()).toContain('Stable · sticky · 2 members · 8 partitions')
    expect(await page.getByText(markup).first().isVisible()).toBe(true)
    expect(await page.locator('img').count()).toBe(0)

    await group.add('api-2')
    const after = await group.settled()
    await shows(page, new Map([...after.owners].map(([p, owner]) => [p, owner === 'odd' ? markup : owner])))
    const entry = page.getByTestId('log').locator('li').first()
    await eventually(
      async () => (await entry.count()) > 0 && (await entry.getAttribute('data-moved')),
      moved => moved === String(after.rebalance!.moved),
    )
    expect(await entry.getAttribute('data-kept')).toBe(String(after.rebalance!.kept))
    expect(await entry.textContent()).toMatch(/api-2-[0-9a-f-]+ joined/)
    say(`the page counts ${after.rebalance!.moved} moved, as the leader's log line does`)
    expect(await picture(page, 'live')).toBeGreaterThan(20_000)

    const link = await page.getByTestId('to-the-lab').getAttribute('href')
    const lab = await open(browser, link!, { from })
    const share = (await boardOf(lab.page, 'sticky')).shares
    expect(Object.values(share).flatMap(each => Object.values(each).flat())).toHaveLength(8)
    expect(Object.keys(share)).toHaveLength(3)
    expect([...complaints, ...lab.complaints]).toEqual([])

    await kafka.nodes[0]!.kill()
    await eventually(
      () => page.getByTestId('problem').count(),
      count => count === 1,
    )
    expect(await page.getByTestId('problem').textContent()).toMatch(/cannot be reached|in \d+ ms|ECONNREFUSED/)
    await kafka.nodes[0]!.start()
    await eventually(
      () => page.getByTestId('problem').count(),
      count => count === 0,
    )
    server.kill('SIGINT')
    expect(await once(server, 'exit')).toEqual([0, null])
  })
})
