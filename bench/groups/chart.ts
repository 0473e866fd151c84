/** Bars for each candidate and change. */
import { groupCandidates } from '../live/candidates'
import { colours, svg, text } from '../live/svg'
import type { Change, LifeResult } from './life'

interface Bar {
  name: string
  of(change: Change): number | null
  colour: string
}

const charts: Record<'moved' | 'pauses', { title: string; bars: Bar[]; unit: string }> = {
  moved: {
    title: 'Partitions that moved, of 72',
    bars: [
      { name: 'moved', of: ({ moved }) => moved, colour: colours[1] },
      { name: 'fewest possible', of: ({ fewest }) => fewest, colour: '#9ca3af' },
    ],
    unit: '',
  },
  pauses: {
    title: 'Longest pause of a partition, ms',
    bars: [
      { name: 'kept by its member', of: ({ keptPause }) => keptPause, colour: colours[0] },
      { name: 'moved', of: ({ movedPause }) => movedPause, colour: colours[1] },
      { name: 'quiet time before', of: ({ quietPause }) => quietPause, colour: '#9ca3af' },
    ],
    unit: ' ms',
  },
}

const width = 1000
const names = 250
const row = { bar: 8, gap: 10 }
const panelGap = 16

export function chart(results: LifeResult[], which: 'moved' | 'pauses'): string {
  const { title, bars, unit } = charts[which]
  const changes = results[0]!.changes.map(({ change }) => change)
  const panelWidth = (width - names) / changes.length - panelGap
  const rowHeight = bars.length * row.bar + row.gap
  const top = 70
  return svg(title, width, top + results.length * rowHeight + 10, [
    text(20, 24, title, ' font-size="15" font-weight="bold"'),
    ...bars.flatMap(({ name, colour }, i) => {
      const x = 330 + i * 180
      return [`<rect x="${x}" y="13" width="12" height="12" fill="${colour}"/>`, text(x + 18, 24, name)]
    }),
    ...results.map(({ candidate }, i) =>
      text(
        20,
        top + i * rowHeight + rowHeight / 2,
        groupCandidates.find(({ id }) => id === candidate)!.title,
        ' font-size="11"',
      ),
    ),
    ...changes.flatMap((name, p) => {
      const left = names + p * (panelWidth + panelGap)
      const each = results.map(({ changes }) => changes.find(({ change }) => change === name)!)
      const largest = Math.max(...each.flatMap(change => bars.map(({ of }) => of(change) ?? 0)))
      const scale = (panelWidth - 60) / largest
      return [
        text(left, top - 14, name, ' font-weight="bold"'),
        ...each.flatMap((change, i) =>
          bars.flatMap(({ of, colour }, b) => {
            const value = of(change)
            const y = top + i * rowHeight + b * row.bar
            if (value === null) return []
            const length = Math.max(1, value * scale)
            return [
              `<rect x="${left}" y="${y}" width="${length.toFixed(1)}" height="${row.bar - 1}" fill="${colour}"/>`,
              text(
                left + length + 4,
                y + row.bar - 1,
                `${Math.round(value).toLocaleString('en-US')}${unit}`,
                ' font-size="8"',
              ),
            ]
          }),
        ),
      ]
    }),
  ])
}
