/** Every preset in a real browser: what the boards show against the measured table, the worked trace and the model. */

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Browser } from 'playwright-core'
import type { Strategy } from '../../src/planner/types'
import { running, simulate } from '../../src/scenario/simulate'
import table from '../../test/cases/kafka-4.3.1-share-sets.json'
import { countsInWords } from '../model/copy'
import { countsOf, idleOf } from '../model/figures'
import { presets } from '../model/presets'
import { boardOf, boardsOf, executable, launch, open, picture, type Share } from './browser'

const strategies: Strategy[] = ['range', 'roundrobin', 'kafka-sticky', 'sticky', 'cooperative-sticky']
const inBrowser = executable ? describe : describe.skip
const sorted = (shares: Share[]) => shares.map(share => JSON.stringify(share)).sort()
const sizes = (shares: Share[]) => shares.map(share => Object.values(share).flat().length).sort()
const presetKey = ({ topics, consumers }: (typeof table.scenarios)[number]) =>
  'u5' in topics ? 'shares-5-1' : 't' in topics ? 'shares-one-topic' : `shares-${consumers}`
const measured = [...new Set(table.scenarios.map(presetKey))]
const TIME = 120_000

inBrowser('The page', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch()
  }, TIME)
  afterAll(() => browser.close())

  it.each(measured.map(key => [key, table.scenarios.filter(row => presetKey(row) === key)] as const))(
    'shows every share set that was measured for preset %s',
    async (key, rows) => {
      const { page, complaints } = await open(browser, `#preset=${key}`)
      const boards = await boardsOf(page)
      const sharesOn = (strategy: string) => Object.values(boards[strategy]!.shares)
      for (const { strategy, shares } of rows) {
        const sticky = strategy.endsWith('sticky')
        expect([strategy, sorted(sharesOn(sticky ? 'kafka-sticky' : strategy))]).toEqual([strategy, sorted(shares)])
        // What the package itself gives has the measured sizes; its shares may be spread better.
        if (sticky) expect(sizes(sharesOn(strategy))).toEqual(sizes(shares))
      }
      expect(complaints).toEqual([])
      await page.context().close()
    },
    TIME,
  )

  it(
    'shows the worked trace, in one round and in two',
    async () => {
      const { page, complaints } = await open(browser, '#preset=worked-trace')
      const end = { W: {}, X: { t: [3, 4, 5] }, Y: { t: [2, 7, 8] }, Z: { t: [0, 1, 6] } }
      const figures = { moved: '4', minimum: '4', counts: '3', idle: '0' }
      const boards = await boardsOf(page)
      for (const strategy of ['sticky', 'cooperative-sticky'])
        expect(boards[strategy]).toMatchObject({ shares: end, figures })
      const cooperative = page.getByTestId('board-cooperative-sticky')
      await cooperative.getByTestId('round-1').click()
      expect(await boardOf(page, 'cooperative-sticky')).toMatchObject({
        shares: { ...end, Z: { t: [0, 1] } },
        waiting: { Z: { t: [6] } },
      })
      await cooperative.getByTestId('round-2').click()
      expect((await boardOf(page, 'cooperative-sticky')).shares).toEqual(end)
      const standstill = cooperative.getByTestId('standstill')
      expect(await standstill.getAttribute('data-go-on')).toBe('5')
      expect(await standstill.getAttribute('data-stopped')).toBe('1')
      expect(complaints).toEqual([])
      await page.context().close()
    },
    TIME,
  )

  it.each(presets.map(preset => [preset.key, preset] as const))(
    'walks through preset %s by keyboard and shows at each step what the model says',
    async (key, preset) => {
      const { page, complaints } = await open(browser, `#preset=${key}&step=0`)
      const { groups, turns } = simulate(preset, strategies)
      for (let step = 0; step <= preset.steps.length; step++) {
        if (step > 0) await page.keyboard.press('ArrowRight')
        await page.getByTestId('where').getByText(`Step ${step} of ${preset.steps.length}`).waitFor()
        const group = groups[step]!
        const boards = await boardsOf(page)
        for (const strategy of strategies) {
          const { owners, moved, minimum } = turns.get(strategy)![step]!
          const { shares, figures } = boards[strategy]!
          expect(Object.keys(shares)).toEqual(group.consumers.map(({ id }) => id))
          const expected = [...owners].flatMap(([topic, list]) =>
            list.flatMap((owner, partition) => (owner === null ? [] : [`${owner} ${topic} ${partition}`])),
          )
          const read = Object.entries(shares).flatMap(([id, share]) =>
            Object.entries(share).flatMap(([topic, list]) => list.map(partition => `${id} ${topic} ${partition}`)),
          )
          expect(read.sort()).toEqual(expected.sort())
          expect(figures).toEqual({
            moved: step === 0 ? '–' : String(moved),
            minimum: step === 0 ? '–' : String(minimum),
            counts: countsInWords([...countsOf(group, owners).values()]),
            idle: String(idleOf(group, owners).length),
          })
        }
        expect(await page.getByTestId('summary').textContent()).toContain(`${running(group).length} consumers`)
      }
      expect(await picture(page, `preset-${key}`)).toBeGreaterThan(20_000)
      expect(complaints).toEqual([])
      await page.context().close()
    },
    TIME,
  )
})
