import { chosen, go, lastStep, pause, place, play, playing } from './state'

const inField = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.closest('input, select, textarea, dialog, .chip') !== null

/** Arrow keys, Home and End walk through the history, space plays it. */
export function followKeys(): void {
  addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
    if (event.key === 'Escape') chosen.value = undefined
    if (inField(event.target)) return
    const onButton = event.target instanceof HTMLElement && event.target.closest('button, summary, a') !== null
    const to: Record<string, () => void> = {
      ArrowLeft: () => go(place.value.step - 1),
      ArrowRight: () => go(place.value.step + 1),
      Home: () => go(0),
      End: () => go(lastStep()),
    }
    if (event.key === ' ' && !onButton) {
      event.preventDefault()
      if (playing.value) pause()
      else play()
    } else if (to[event.key]) {
      event.preventDefault()
      pause()
      to[event.key]!()
    }
  })
}
