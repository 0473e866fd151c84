/** A part as a picture: a line for each partition, its colour the member that handles it, pink where nobody does. */
import { pauseCandidates } from '../live/candidates'
import { colours, svg, text } from '../live/svg'
import { type LifeResult, partitions, type Step } from './life'
import type { PartResult } from './main'
import { parts } from './parts'

const width = 1000
const left = 20
const lane = 7
const panel = { top: 44, height: partitions * lane, gap: 46 }

export function picture({ part, lives }: PartResult): string {
  const { title, steps } = parts.find(({ name }) => name === part)!
  const height = panel.top + lives.length * (panel.height + panel.gap) + 10
  // One scale for all, so that they can be compared: each from its first step to the end of the first run.
  const spans = lives.map(life => endOfFirstRun(life, steps))
  const scale = (width - 2 * left) / Math.max(...spans)
  return svg(title, width, height, [
    legend(),
    ...lives.map((life, i) => drawLife(life, spans[i]!, scale, panel.top + i * (panel.height + panel.gap) + 20, steps)),
  ])
}

const firstOf = (life: LifeResult, name: string): Step => life.steps.find(({ step }) => step === name)!
const endOfFirstRun = (life: LifeResult, steps: string[]) => Math.max(...steps.map(step => firstOf(life, step).to))

function legend(): string {
  const items = ['member a', 'member b', 'member c'].map((name, i) => {
    const x = left + i * 100
    return `<rect x="${x}" y="12" width="12" height="12" fill="${colours[i]}"/>${text(x + 18, 22, name)}`
  })
  return items.join('\n')
}

function drawLife(life: LifeResult, span: number, scale: number, top: number, steps: string[]): string {
  const x = (ms: number) => (left + ms * scale).toFixed(1)
  const title = pauseCandidates.find(({ id }) => id === life.candidate)!.title
  const marks = steps.flatMap(step => {
    const { from } = firstOf(life, step)
    return [
      `<line x1="${x(from)}" y1="${top - 4}" x2="${x(from)}" y2="${top + panel.height}" stroke="#111827" stroke-dasharray="2 2"/>`,
      text(Number(x(from)) + 3, top - 6, step, ' font-size="10"'),
    ]
  })
  const strokes = ['a', 'b', 'c'].map((member, i) => {
    const path = life.stretches
      .filter(each => each.member.startsWith(member) && each.from < span)
      .map(({ partition, from, to }) => {
        const y = top + partition * lane + lane / 2
        return `M${x(from)} ${y}H${x(Math.min(span, Math.max(to, from + 1 / scale)))}`
      })
      .join('')
    return `<path d="${path}" stroke="${colours[i]}" stroke-width="${lane - 2}"/>`
  })
  return [
    text(left, top - 22, title, ' font-size="13" font-weight="bold"'),
    `<rect x="${left}" y="${top}" width="${(span * scale).toFixed(1)}" height="${panel.height}" fill="#fee2e2"/>`,
    ...strokes,
    ...marks,
    text(Number(x(span)) - 40, top + panel.height + 14, `${(span / 1000).toFixed(1)} s`, ' font-size="10"'),
  ].join('\n')
}
