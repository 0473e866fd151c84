/** Elements that move to another place glide there (first, last, invert, play). */

import type { RefObject } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import { prefersStillness } from './state'

const DURATION = 520

/**
 * Animates the elements with a `data-key` inside a container, whenever it is drawn again. Positions are taken before
 * and after each drawing, so that a resized window is no movement. The container has to be their offset parent.
 */
export function useFlip(container: RefObject<HTMLElement | null>): void {
  const before = placesOf(container.current)
  useLayoutEffect(() => {
    if (prefersStillness()) return
    const after = placesOf(container.current)
    for (const [key, { element, left, top }] of after) {
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
  })
}

/** Layout positions, which animations that are still running do not change. */
function placesOf(container: HTMLElement | null) {
  const places = new Map<string, { element: HTMLElement; left: number; top: number }>()
  for (const element of container?.querySelectorAll<HTMLElement>('[data-key]') ?? [])
    places.set(element.dataset.key!, { element, left: element.offsetLeft, top: element.offsetTop })
  return places
}
