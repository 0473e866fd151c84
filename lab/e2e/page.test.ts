/** The page as its readers use it: by mouse and by keyboard, wide and narrow, from disk, shared by its address. */

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { plan } from '../../src/planner'
import { decode } from '../model/address'
import { boardOf, eventually, executable, launch, open, picture } from './browser'

const strategies = ['range', 'roundrobin', 'kafka-sticky', 'sticky', 'cooperative-sticky']
const inBrowser = executable ? describe : describe.skip
const TIME = 120_000

const textOf = async (page: Page, testid: string) => (await page.getByTestId(testid).textContent()) ?? ''
const where = (page: Page) => textOf(page, 'where')
const hash = (page: Page) => page.evaluate(() => location.hash)
const steps = (page: Page) => page.locator('.step').allTextContents()
const note = (page: Page) => textOf(page, 'note')
const editor = (page: Page) => page.getByTestId('editor')
const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '')

inBrowser('The page', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch()
  }, TIME)
  afterAll(() => browser.close())

  /** Opens the page, and sees at the end that it complained of nothing. */
  const using =
    (options: Parameters<typeof open>[2] & { hash?: string }, use: (page: Page) => Promise<void>) => async () => {
      const { hash = '', ...rest } = options
      const { page, complaints } = await open(browser, hash, rest)
      await use(page)
      expect(complaints).toEqual([])
      await page.context().close()
    }

  describe('history', () => {
    it(
      'is walked by buttons, by the score sheet and by keys, and the address follows',
      using({ hash: '#preset=deploy&step=8' }, async page => {
        await page.getByTestId('back').click()
        expect(await where(page)).toBe('Step 7 of 8 v2-4 joins')
        expect(await hash(page)).toBe('#preset=deploy&step=7')
        await page.getByTestId('step-2').click()
        expect(await where(page)).toBe('Step 2 of 8 v1-1 leaves')
        await page.keyboard.press('Home')
        expect(await where(page)).toContain('Step 0 of 8')
        expect(await page.getByTestId('back').isDisabled()).toBe(true)
        await page.keyboard.press('ArrowLeft')
        expect(await where(page)).toContain('Step 0 of 8')
        await page.keyboard.press('End')
        expect(await where(page)).toContain('Step 8 of 8')
        expect(await page.getByTestId('forward').isDisabled()).toBe(true)
      }),
      TIME,
    )

    it(
      'plays to its end, and can be paused',
      using({ hash: '#preset=deploy&step=8' }, async page => {
        await page.getByTestId('play').click()
        await eventually(
          () => where(page),
          text => /^Step [2-7] of 8/.test(text),
        )
        await page.keyboard.press('Home')
        expect(await textOf(page, 'play')).toBe('Play')
        await page.getByTestId('preset').selectOption('there-and-back')
        await page.keyboard.press('Home')
        await page.locator('h1').click()
        await page.keyboard.press('Space')
        await eventually(
          () => where(page),
          text => text.startsWith('Step 2 of 2'),
        )
        await eventually(
          () => textOf(page, 'play'),
          text => text === 'Play',
        )
      }),
      TIME,
    )

    it(
      'goes on from the step that is shown, and Back brings back what was dropped',
      using({ hash: '#preset=fleet&step=1' }, async page => {
        await page.getByTestId('consumer-pod-3').click()
        await editor(page).getByTestId('crash').click()
        expect(await where(page)).toBe('Step 2 of 2 pod-3 crashes')
        expect(await note(page)).toContain('What came after step 1 is gone')
        expect(await page.getByTestId('preset').inputValue()).toBe('')
        await page.goBack()
        expect(await where(page)).toBe('Step 1 of 2 pod-7 and pod-8 join')
        expect(await steps(page)).toHaveLength(3)
        await page.goForward()
        expect(await where(page)).toBe('Step 2 of 2 pod-3 crashes')
      }),
      TIME,
    )
  })

  describe('acts', () => {
    it(
      'add, crash, restart and remove consumers, resubscribe them, and make, grow and delete topics',
      using({ hash: '#preset=one-crashes&step=0' }, async page => {
        const consumer = (id: string) => page.getByTestId(`consumer-${id}`).click()
        const act = (testid: string) => editor(page).getByTestId(testid).click()
        await page.getByTestId('add-one').click()
        await consumer('api-4')
        await act('crash')
        await act('restart')
        await act('restart')
        await act('remove')
        await consumer('api-1')
        await editor(page).getByLabel('every topic').uncheck()
        await editor(page).getByLabel('payments').uncheck()
        await act('apply')
        await page.getByTestId('topic-orders').click()
        await editor(page).getByLabel('Partitions').fill('8')
        await act('apply')
        await page.getByTestId('new-topic').click()
        await editor(page).getByLabel('Name').fill('audit')
        await editor(page).getByLabel('Partitions').fill('2')
        await act('apply')
        await page.getByTestId('topic-payments').click()
        await act('delete')
        expect(await steps(page)).toEqual([
          '0 start',
          '1 api-4 joins',
          '2 api-4 crashes',
          '3 api-4 starts again',
          '4 api-4 crashes',
          '5 api-4 starts again',
          '6 api-4 leaves',
          '7 api-1 subscribes orders',
          '8 topic orders has 8 partitions',
          '9 topic audit has 2 partitions',
          '10 topic payments is deleted',
        ])
        const shares = (await boardOf(page, 'sticky')).shares
        expect(Object.keys(shares)).toEqual(['api-1', 'api-2', 'api-3'])
        expect(Object.keys(shares['api-1']!)).toEqual(['orders'])
        expect(Object.values(shares).flatMap(share => Object.values(share).flat())).toHaveLength(10)
        expect((await boardOf(page, 'sticky')).figures).toMatchObject({ counts: '3–4' })
      }),
      TIME,
    )

    it(
      'can be in time for the rebalance that is shown',
      using({ hash: '#preset=one-crashes&step=1' }, async page => {
        await page.getByTestId('new-consumer').click()
        await editor(page).getByLabel('Name').fill('spare-1')
        await editor(page).getByLabel('How many').fill('2')
        await editor(page).getByLabel('in the same rebalance').check()
        await editor(page).getByTestId('apply').click()
        expect(await steps(page)).toEqual(['0 start', '1 api-2 crashes, spare-1 and spare-2 join'])
        expect((await boardOf(page, 'sticky')).figures).toEqual({ moved: '6', minimum: '6', counts: '3', idle: '0' })
      }),
      TIME,
    )

    it(
      'that make no sense are refused with a reason',
      using({ hash: '#preset=one-crashes&step=0' }, async page => {
        await page.getByTestId('new-consumer').click()
        await editor(page).getByLabel('Name').fill('api-1')
        await editor(page).getByTestId('apply').click()
        expect(await note(page)).toContain('Not done: it adds "api-1", who is there already.')
        await page.getByTestId('topic-orders').click()
        await editor(page).getByLabel('Partitions').fill('399')
        await editor(page).getByTestId('apply').click()
        expect(await note(page)).toContain('Not done: it has 405 partitions, and this page takes 400.')
        expect(await steps(page)).toHaveLength(3)
      }),
      TIME,
    )

    it(
      'build another group at the start, and later steps stay as far as they make sense',
      using({ hash: '#preset=one-crashes&step=2' }, async page => {
        await page.getByText('Change the start').click()
        await page.getByTestId('new-topic').click()
        await editor(page).getByLabel('Name').fill('audit')
        await editor(page).getByLabel('Partitions').fill('3')
        await editor(page).getByLabel('Brokers’ racks').fill('r1 r2 r3')
        await editor(page).getByTestId('apply').click()
        await page.getByTestId('new-consumer').click()
        await editor(page).getByLabel('Name').fill('reader')
        await editor(page).getByLabel('Rack').fill('r2')
        await editor(page).getByLabel('every topic').uncheck()
        for (const topic of ['orders', 'payments']) await editor(page).getByLabel(topic).uncheck()
        await editor(page).getByTestId('apply').click()
        expect(await steps(page)).toHaveLength(3)
        expect((await boardOf(page, 'sticky')).shares).toMatchObject({ reader: { audit: expect.arrayContaining([1]) } })
        await page.getByTestId('consumer-api-2').click()
        await editor(page).getByTestId('remove').click()
        expect(await note(page)).toBe('2 of the steps make no sense any more and are gone.×')
        expect(await steps(page)).toEqual(['0 start'])
        expect(Object.keys((await boardOf(page, 'sticky')).shares)).toEqual(['api-1', 'api-3', 'reader'])
      }),
      TIME,
    )
  })

  describe('one partition', () => {
    it(
      'says under each strategy where it went, and why',
      using({ hash: '#preset=worked-trace' }, async page => {
        await page.getByTestId('board-sticky').getByRole('button', { name: 't 6, moved from X to Z' }).click()
        const rows = await page
          .getByTestId('details')
          .evaluate(sheet =>
            [...sheet.querySelectorAll('tr')].map(tr => [...tr.children].map(cell => cell.textContent)),
          )
        expect(rows.map(row => row.slice(0, 2))).toEqual([
          ['range', 'X → Z'],
          ['roundrobin', expect.anything()],
          ['kafka-sticky', 'X → Z'],
          ['sticky', 'X → Z'],
          ['cooperative-sticky', 'X → Z'],
        ])
        expect(rows[3]![2]).toContain('X owned 4, target 3')
        await page.keyboard.press('Escape')
        expect(await page.getByTestId('details').count()).toBe(0)
      }),
      TIME,
    )

    it(
      'is reached by keys alone: one tab stop a board, arrows inside it, Enter asks why',
      using({ hash: '#preset=there-and-back&step=2' }, async page => {
        for (let tabs = 0; !(await focused(page)).startsWith('orders'); tabs++) {
          expect(tabs).toBeLessThan(60)
          await page.keyboard.press('Tab')
        }
        expect(await focused(page)).toBe('orders 0, stays')
        await page.keyboard.press('ArrowRight')
        expect(await focused(page)).toMatch(/^orders 1,/)
        await page.keyboard.press('End')
        expect(await focused(page)).toMatch(/^orders 11,/)
        await page.keyboard.press('ArrowUp')
        expect(await focused(page)).toMatch(/^orders 7,/)
        expect(await where(page)).toContain('Step 2 of 2')
        await page.keyboard.press('Enter')
        expect(await page.getByTestId('details').getAttribute('aria-label')).toBe('Partition orders-7')
        await page.keyboard.press('Tab')
        await page.keyboard.press('Shift+Tab')
        expect(await focused(page)).toMatch(/^orders 7,/)
      }),
      TIME,
    )

    it(
      'is listed with the others under Why',
      using({ hash: '#preset=worked-trace' }, async page => {
        const why = page.getByTestId('board-sticky').locator('details')
        await why.locator('summary').click()
        expect((await why.locator('li').allTextContents()).map(line => line.split(':')[0]).sort()).toEqual([
          't-0',
          't-1',
          't-2',
          't-6',
        ])
      }),
      TIME,
    )
  })

  describe('address', () => {
    it.each<[string, string]>([
      ['#group=abc', 'the group in it is cut or mangled'],
      ['#preset=nope', 'there is no preset "nope"'],
      ['#preset=fleet&step=99', 'it asks for step 99 of 2'],
      ['#<img src=x onerror=alert(1)>', 'it names no group'],
    ])(
      'that cannot be read shows the default scenario and says so: %s',
      async (hash, why) => {
        await using({ hash }, async page => {
          expect(await note(page)).toContain(`The address could not be read: ${why}. This is the default scenario.`)
          expect(await page.getByTestId('preset').inputValue()).toBe('one-crashes')
          await page.getByLabel('Dismiss').click()
          expect(await page.getByTestId('note').count()).toBe(0)
        })()
      },
      TIME,
    )

    it(
      'typed over the page is followed, right or wrong',
      using({}, async page => {
        await page.evaluate(() => {
          location.hash = '#preset=fleet&step=2'
        })
        await eventually(
          () => where(page),
          text => text.startsWith('Step 2 of 2 pod-2'),
        )
        await page.evaluate(() => {
          location.hash = '#preset=fle'
        })
        await eventually(
          () => page.getByTestId('note').count(),
          count => count === 1,
        )
      }),
      TIME,
    )

    it(
      'holds a scenario of the reader’s own, names as text',
      using({ hash: '#preset=one-crashes&step=0' }, async page => {
        const odd = '<b>ö</b> "q" __proto__'
        await page.getByTestId('new-consumer').click()
        await editor(page).getByLabel('Name').fill(odd)
        await editor(page).getByTestId('apply').click()
        const address = await hash(page)
        expect(decode(address)?.scenario.steps).toEqual([[{ do: 'join', consumer: { id: odd, topics: null } }]])
        const copy = await open(browser, address)
        expect(await where(copy.page)).toBe(`Step 1 of 1 ${odd} joins`)
        expect((await boardOf(copy.page, 'sticky')).shares).toEqual((await boardOf(page, 'sticky')).shares)
        expect(copy.complaints).toEqual([])
        await copy.page.context().close()
      }),
      TIME,
    )
  })

  describe('copying', () => {
    const permissions = ['clipboard-read', 'clipboard-write']
    const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText())

    it(
      'gives a link, a request that `plan` answers as the board shows, and a table',
      using({ hash: '#preset=worked-trace', permissions }, async page => {
        await page.getByTestId('copy-link').click()
        expect(await clipboard(page)).toMatch(/^file:.*index\.html#preset=worked-trace&step=1$/)
        await page.getByTestId('copy-request-sticky').click()
        const answer = plan(JSON.parse(await clipboard(page)))
        expect(answer.assignment('Y')).toEqual([{ topic: 't', partitions: [2, 7, 8] }])
        expect(answer.report.moved).toBe(4)
        await page.getByTestId('copy-table').click()
        expect(await clipboard(page)).toContain('| Y | t 3,4,5 |')
        await page.keyboard.press('Home')
        expect(await page.getByTestId('copy-request-sticky').isDisabled()).toBe(true)
      }),
      TIME,
    )

    it(
      'shows the text to copy by hand where the browser gives no clipboard',
      using({ hash: '#preset=worked-trace' }, async page => {
        await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }))
        await page.getByTestId('copy-table').click()
        const dialog = page.getByRole('dialog')
        expect(await dialog.locator('textarea').inputValue()).toContain('| Y | t 3,4,5 |')
        await page.keyboard.press('Escape')
        await eventually(
          () => dialog.count(),
          count => count === 0,
        )
      }),
      TIME,
    )
  })

  describe('looks', () => {
    const motion = { reducedMotion: 'no-preference' as const }

    it(
      'moves partitions visibly, and shows both rounds one after the other',
      using({ ...motion, hash: '#preset=fleet&step=0' }, async page => {
        // Read within the page, at once: how fast the test looks at it must not matter.
        const began = await page.evaluate(async () => {
          document.querySelector<HTMLElement>('[data-testid=forward]')!.click()
          await new Promise(resolve => setTimeout(resolve))
          const gliding = document.getAnimations().flatMap(animation => {
            const { target } = animation.effect as KeyframeEffect
            return animation instanceof CSSTransition ? [] : [(target as HTMLElement).dataset.key!.split(' ')[0]]
          })
          const pressed = document.querySelector('[data-testid=round-1]')!.ariaPressed
          const waiting = document.querySelectorAll('[data-member=pod-7] .chip.waiting').length
          return { gliding: [...new Set(gliding)], count: gliding.length, pressed, waiting }
        })
        expect(began).toMatchObject({ pressed: 'true', waiting: 9 })
        expect(began.gliding.sort()).toEqual([...strategies].sort())
        expect(began.count).toBeGreaterThan(5 * 18)
        await eventually(
          () => page.getByTestId('round-2').getAttribute('aria-pressed'),
          pressed => pressed === 'true',
        )
        expect((await boardOf(page, 'cooperative-sticky')).waiting['pod-7']).toEqual({})
      }),
      TIME,
    )

    it(
      'stands still where motion is not wanted',
      using({ hash: '#preset=fleet&step=0' }, async page => {
        await page.getByTestId('forward').click()
        expect(await where(page)).toContain('Step 1 of 2')
        expect(await page.evaluate(() => document.getAnimations().length)).toBe(0)
        expect(await page.getByTestId('round-2').getAttribute('aria-pressed')).toBe('true')
      }),
      TIME,
    )

    it(
      'is dark in the dark',
      using({ hash: '#preset=fleet&step=1', colorScheme: 'dark' }, async page => {
        const [paper, ink] = await page.evaluate(() => {
          const { backgroundColor, color } = getComputedStyle(document.documentElement)
          return [backgroundColor, color].map(text => Number(/\d+/.exec(text)![0]))
        })
        expect(paper).toBeLessThan(40)
        expect(ink).toBeGreaterThan(200)
        await page.getByTestId('round-1').click()
        expect(await picture(page, 'dark')).toBeGreaterThan(20_000)
      }),
      TIME,
    )

    it.each([360, 390, 768])(
      'fits a screen %d pixels wide',
      async width => {
        const phone = { viewport: { width, height: 800 }, hasTouch: true, isMobile: true }
        await using({ ...phone, hash: '#preset=fleet&step=1' }, async page => {
          const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
          expect(overflow).toBeLessThanOrEqual(0)
          await page.getByTestId('forward').tap()
          expect(await where(page)).toContain('Step 2 of 2')
          await page.getByTestId('consumer-pod-1').tap()
          expect(await editor(page).getByTestId('crash').isVisible()).toBe(true)
          expect(await picture(page, `width-${width}`)).toBeGreaterThan(20_000)
        })()
      },
      TIME,
    )

    it(
      'gives every control a name',
      using({ hash: '#preset=fleet&step=1' }, async page => {
        await page.getByTestId('consumer-pod-1').click()
        const nameless = await page.evaluate(() =>
          [...document.querySelectorAll<HTMLElement>('button, select, input, textarea, summary')]
            .filter(control => {
              const labels = [...((control as HTMLInputElement).labels ?? [])]
              const name =
                control.getAttribute('aria-label') ?? (control.textContent || labels.map(l => l.textContent).join(''))
              return name.trim() === ''
            })
            .map(control => control.outerHTML),
        )
        expect(nameless).toEqual([])
      }),
      TIME,
    )
  })
})
