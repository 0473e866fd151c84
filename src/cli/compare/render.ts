import type { ComparedStep, Comparison } from './comparison'

export type Format = 'text' | 'markdown' | 'json'

type Rows = readonly (readonly string[])[]

export const renderers: Record<Format, (comparison: Comparison) => string> = {
  text: comparison => render(comparison, textTable, title => title),
  markdown: comparison => render(comparison, markdownTable, title => `### ${asText(title)}`),
  json: comparison => `${JSON.stringify(comparison, null, 2)}\n`,
}

function render(
  { steps, totals, note }: Comparison,
  table: (rows: Rows) => string,
  heading: (title: string) => string,
): string {
  const parts = steps.flatMap(step => [heading(titleOf(step)), table(figures(step)), table(holdings(step))])
  if (steps.length > 1) {
    const rows = totals.map(({ strategy, moved, minimum }) => [strategy, String(moved), String(minimum)])
    parts.push(heading('In all'), table([['strategy', 'moved', 'minimum'], ...rows]))
  }
  return `${[...parts, wrapped(note)].join('\n\n')}\n`
}

const wrapped = (text: string): string => text.replace(/(.{1,118})( |$)/g, '$1\n').trimEnd()

function titleOf({ step, what, consumers, partitions }: ComparedStep): string {
  const size = `${consumers} ${consumers === 1 ? 'consumer' : 'consumers'}, ${partitions} ${partitions === 1 ? 'partition' : 'partitions'}`
  return `${step === 0 ? 'Start' : `Step ${step}`}: ${what === '' ? '' : `${what}; `}${size}`
}

function figures({ results }: ComparedStep): Rows {
  const rows = results.map(({ strategy, counts, idle, moved, minimum }) => [
    strategy,
    runs(counts),
    String(idle.length),
    String(moved),
    String(minimum),
  ])
  return [['strategy', 'shares', 'idle', 'moved', 'minimum'], ...rows]
}

function holdings({ results }: ComparedStep): Rows {
  const assignments = results.map(({ assignment }) => new Map(Object.entries(assignment)))
  const ids = [...(assignments[0]?.keys() ?? [])]
  const rows = ids.map(id => [id, ...assignments.map(assignment => shareInWords(assignment.get(id)!))])
  return [['consumer', ...results.map(({ strategy }) => strategy)], ...rows]
}

/** `3/3/2`, and `3×40 2×5` where that is shorter to read. */
function runs(counts: readonly number[]): string {
  if (counts.length <= 8) return counts.join('/') || '–'
  const sizes = new Map<number, number>()
  for (const count of counts) sizes.set(count, (sizes.get(count) ?? 0) + 1)
  return [...sizes].map(([count, members]) => `${count}×${members}`).join(' ')
}

function shareInWords(share: Record<string, readonly number[]>): string {
  const lists = Object.entries(share).map(([topic, partitions]) => `${topic} ${rangesOf(partitions)}`)
  return lists.join(' ') || '–'
}

/** `0-3,7`. */
function rangesOf(ascending: readonly number[]): string {
  const parts: [number, number][] = []
  for (const n of ascending) {
    const last = parts.at(-1)
    if (last && last[1] === n - 1) last[1] = n
    else parts.push([n, n])
  }
  return parts.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',')
}

function textTable(rows: Rows): string {
  const widths = rows[0]!.map((_, c) => Math.max(...rows.map(row => row[c]!.length)))
  return rows.map(row => `  ${row.map((cell, c) => cell.padEnd(widths[c]!)).join('  ')}`.trimEnd()).join('\n')
}

function markdownTable([head, ...rows]: Rows): string {
  const line = (cells: readonly string[]) => `| ${cells.map(asText).join(' | ')} |`
  return [line(head!), line(head!.map(() => '---')), ...rows.map(line)].join('\n')
}

/** Names are shown as text, never as markup. */
const asText = (text: string): string => text.replace(/[\\|*_<>`[\]]/g, '\\$&').replace(/\r?\n/g, ' ')
