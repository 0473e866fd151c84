/** Makes each board one stop of the tab key: at the partition that had the focus last, or else at the first. */
export function keepTabStops(): void {
  for (const rows of document.querySelectorAll('.rows')) {
    const chips = rows.querySelectorAll<HTMLElement>('.chip')
    if (chips[0] && ![...chips].some(chip => chip.tabIndex === 0)) chips[0].tabIndex = 0
  }
}

export function moveTabStop(event: FocusEvent & { currentTarget: HTMLElement }): void {
  for (const chip of event.currentTarget.querySelectorAll<HTMLElement>('.chip'))
    chip.tabIndex = chip === event.target ? 0 : -1
}

/** Inside a board arrow keys go from partition to partition. */
export function walkChips(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const chips = [...event.currentTarget.querySelectorAll<HTMLElement>('.chip')]
  const next = nextChip(chips, chips.indexOf(event.target as HTMLElement), event.key)
  if (!next) return
  event.preventDefault()
  next.focus()
}

function nextChip(chips: HTMLElement[], at: number, key: string): HTMLElement | undefined {
  const here = chips[at]
  if (!here) return undefined
  switch (key) {
    case 'ArrowRight':
      return chips[at + 1]
    case 'ArrowLeft':
      return chips[at - 1]
    case 'Home':
      return chips[0]
    case 'End':
      return chips.at(-1)
    case 'ArrowDown':
      return nearest(
        here,
        chips.filter(chip => chip.offsetTop > here.offsetTop),
      )
    case 'ArrowUp':
      return nearest(
        here,
        chips.filter(chip => chip.offsetTop < here.offsetTop),
      )
    default:
      return undefined
  }
}

/** Of the nearest line, the one that is least to the side. */
function nearest(from: HTMLElement, others: HTMLElement[]): HTMLElement | undefined {
  const rows = (chip: HTMLElement) => Math.abs(chip.offsetTop - from.offsetTop)
  const aside = (chip: HTMLElement) => Math.abs(chip.offsetLeft - from.offsetLeft)
  return others.sort((a, b) => rows(a) - rows(b) || aside(a) - aside(b))[0]
}
