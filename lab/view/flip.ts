/** Elements that move to another place glide there (first, last, invert, play). */

import { prefersStillness } from './motion'

const DURATION = 520

type Places = Map<string, { element: HTMLElement; left: number; top: number }>

/**
 * Where everything with a `data-key` stands: layout positions, which animations that are still running do not change, and
 * relative to the nearest positioned box, so that scrolling is no movement.
 */
export function places(): Places {
  const found: Places = new Map()
  for (const element of document.querySelectorAll<HTMLElement>('[data-key]'))
    found.set(element.dataset.key!, { element, left: element.offsetLeft, top: element.offsetTop })
  return found
}

/** Lets everything glide from where it was just before the page was drawn again to where it is now. */
export function glideFrom(before: Places): void {
  if (prefersStillness()) return
  for (const [key, { element, left, top }] of places()) {
    const old = before.get(key)
    if (!old || (old.left === left && old.top === top)) continue
    const from = `translate(${old.left - left}px, ${old.top - top}px)`
    element.animate(
      [
        { transform: from, zIndex: 1 },
        { transform: 'none', zIndex: 1 },
      ],
      {
        duration: DURATION,
        easing: 'cubic-bezier(.3, .7, .2, 1)',
      },
    )
  }
}
