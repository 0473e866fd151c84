/** A real Chromium with the built page in it. */

import { existsSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

const root = join(__dirname, '../..')
export const pageFile = join(root, 'lab/dist/index.html')
export const pictures = join(root, 'build/lab')

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
/** From CHROMIUM, or where systems put it. Undefined: there is none. */
export const executable = process.env.CHROMIUM || places.find(existsSync)

export function launch(): Promise<Browser> {
  if (!executable) throw new Error(`no Chromium: none at ${places.join(', ')}, and CHROMIUM is not set`)
  if (!existsSync(pageFile)) throw new Error(`${pageFile} is not there: run npm run build:lab first`)
  mkdirSync(pictures, { recursive: true })
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run']
  const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', ...quiet]
  return chromium.launch({ executablePath: executable, args })
}

export interface Opened {
  readonly page: Page
  /** Console errors and warnings, exceptions, and requests for anything but the page itself. Has to stay empty. */
  readonly complaints: string[]
}

/** Opens the page from disk, or from a server, in a context of its own. */
export async function open(
  browser: Browser,
  hash = '',
  {
    from = pathToFileURL(pageFile).href,
    ready = 'where',
    ...options
  }: BrowserContextOptions & { from?: string; ready?: string } = {},
): Promise<Opened> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 1000 },
    reducedMotion: 'reduce',
    ...options,
  })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', message => {
    if (['error', 'warning'].includes(message.type())) complaints.push(`${message.type()}: ${message.text()}`)
  })
  page.on('pageerror', error => complaints.push(`exception: ${error.stack ?? error}`))
  page.on('request', request => {
    if (!request.url().startsWith(from) && !request.url().startsWith('data:'))
      complaints.push(`request: ${request.url()}`)
  })
  await page.goto(`${from}${hash}`)
  await page.getByTestId(ready).waitFor()
  return { page, complaints }
}

/** A screenshot of the whole page in build/lab. Returns its size in bytes. */
export async function picture(page: Page, name: string): Promise<number> {
  const path = join(pictures, `${name}.png`)
  await page.screenshot({ path, fullPage: true })
  return statSync(path).size
}

export type Share = Record<string, number[]>

export interface Board {
  /** The share of each consumer, by its name. */
  readonly shares: Record<string, Share>
  /** What it waits for. */
  readonly waiting: Record<string, Share>
  readonly figures: Record<'moved' | 'minimum' | 'counts' | 'idle', string>
}

/** What the boards show, by strategy. */
export function boardsOf(page: Page): Promise<Record<string, Board>> {
  return page.evaluate(() => {
    const shareIn = (row: Element, chips: string) => {
      const share: Record<string, number[]> = {}
      for (const { dataset } of row.querySelectorAll<HTMLElement>(chips))
        (share[dataset.topic!] ??= []).push(Number(dataset.partition))
      return share
    }
    const read = (board: Element) => {
      const rows = [...board.querySelectorAll<HTMLElement>('[data-member]')]
      const shares = (chips: string) => Object.fromEntries(rows.map(row => [row.dataset.member!, shareIn(row, chips)]))
      const figure = (name: string) => board.querySelector<HTMLElement>(`[data-testid=${name}]`)!.textContent
      const [moved, minimum, counts, idle] = ['moved', 'minimum', 'counts', 'idle'].map(figure)
      return {
        shares: shares('.chip:not(.waiting)'),
        waiting: shares('.chip.waiting'),
        figures: { moved: moved!, minimum: minimum!, counts: counts!, idle: idle! },
      }
    }
    const boards = [...document.querySelectorAll<HTMLElement>('.board')]
    return Object.fromEntries(boards.map(board => [board.ariaLabel!, read(board)]))
  })
}

/** The shares that a live group's page shows, by member id. */
export function rowsOf(page: Page, board: string): Promise<Record<string, Share>> {
  return page.locator(board).evaluate(element => {
    const rows = [...element.querySelectorAll<HTMLElement>('[data-member]')]
    return Object.fromEntries(
      rows.map(row => {
        const share: Record<string, number[]> = {}
        for (const { dataset } of row.querySelectorAll<HTMLElement>('.chip'))
          (share[dataset.topic!] ??= []).push(Number(dataset.partition))
        return [row.dataset.member!, share]
      }),
    )
  })
}

export const boardOf = async (page: Page, strategy: string): Promise<Board> => (await boardsOf(page))[strategy]!

/** Waits until a reading is what is expected; fails with the last one. */
export async function eventually<T>(read: () => Promise<T>, isRight: (value: T) => boolean): Promise<T> {
  const deadline = Date.now() + 15_000
  for (;;) {
    const value = await read()
    if (isRight(value)) return value
    if (Date.now() > deadline) throw new Error(`still ${JSON.stringify(value)}`)
    await new Promise(resolve => setTimeout(resolve, 25))
  }
}
