/** The moving picture of the README: `UPDATE_PICTURE=1 npm run test:e2e -- picture` makes docs/lab.png of it. */

import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { animate, type Frame } from './apng'
import { executable, launch, open, pictures } from './browser'

const inBrowser = executable ? describe : describe.skip
const TIME = 240_000

inBrowser('The page', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch()
  }, TIME)
  afterAll(() => browser.close())

  it(
    'can be seen moving',
    async () => {
      const size = { width: 1240, height: 850 }
      const looks = { viewport: size, deviceScaleFactor: 0.75, reducedMotion: 'no-preference' as const }
      const { page, complaints } = await open(browser, '#preset=one-crashes&step=0', looks)
      // What can be changed is left out of the picture.
      await page.addStyleTag({ content: '.strip, .about { display: none }' })
      const frames: Frame[] = [{ png: await page.screenshot(), ms: 1800 }]
      for (let step = 1; step <= 2; step++) {
        await glide(page, '[data-testid=forward]', frames)
        if (step === 2) await glide(page, '[data-testid=round-2]', frames)
        frames.push({ png: await page.screenshot(), ms: 2600 })
      }
      const file = join(pictures, 'lab.png')
      writeFileSync(file, animate(frames))
      if (process.env.UPDATE_PICTURE) copyFileSync(file, join(__dirname, '../../docs/lab.png'))
      expect(readFileSync(file).length).toBeLessThan(1_000_000)
      expect(complaints).toEqual([])
      await page.context().close()
    },
    TIME,
  )
})

/** Presses a button and takes pictures of what follows, at times of the animations' own, however slow the machine is. */
async function glide(page: Page, button: string, frames: Frame[]): Promise<void> {
  // The second round comes when it is called, not by the clock.
  await page.evaluate(async selector => {
    const { setTimeout } = window
    const later = setTimeout
    window.setTimeout = (() => 0) as unknown as typeof setTimeout
    document.querySelector<HTMLElement>(selector)!.click()
    await new Promise(resolve => later(resolve))
    window.setTimeout = later
    for (const animation of document.getAnimations()) animation.pause()
  }, button)
  const times = [40, 90, 150, 220, 300, 400]
  for (const time of times) {
    await page.evaluate(time => {
      for (const animation of document.getAnimations()) animation.currentTime = time
    }, time)
    frames.push({ png: await page.screenshot({ animations: 'allow' }), ms: 60 })
  }
  await page.evaluate(() => {
    for (const animation of document.getAnimations()) animation.finish()
  })
  frames.push({ png: await page.screenshot(), ms: 900 })
}
