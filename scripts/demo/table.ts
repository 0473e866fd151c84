/** The demo's table: one row a step. Colours where the terminal has them; NO_COLOR and FORCE_COLOR are honoured. */

export interface Row {
  step: string
  members: number
  moved: number
  least: number
  roundRobin: number
  /** Owner of each partition, in the order of partitions. */
  owners: string[]
}

const columns = ['step', 'members', 'moved', 'least', 'round robin'] as const
const widths = [34, 7, 5, 5, 11]

const background = [44, 42, 45, 46, 43, 41, 104, 102, 105, 106]
const colours = new Map<string, number>()

export function header(topic: string): string {
  return `${columns.map((name, i) => pad(name, i)).join('  ')}  owner of ${topic}-0, -1, …`
}

export function row({ step, members, moved, least, roundRobin, owners }: Row): string {
  const cells = [step, members, moved, least, roundRobin]
  return `${cells.map((cell, i) => pad(String(cell), i)).join('  ')}  ${owners.map(cell).join(' ')}`
}

/** A line below a row, fainter. */
export function note(text: string): string {
  return useColour() ? `\u001b[2m  ${text}\u001b[0m` : `  ${text}`
}

/** Text to the left, numbers to the right. */
function pad(text: string, column: number): string {
  const width = widths[column] ?? 0
  return column === 0 ? text.padEnd(width) : text.padStart(width)
}

function cell(owner: string): string {
  if (!colours.has(owner)) colours.set(owner, background[colours.size % background.length] as number)
  return useColour() ? `\u001b[30;${colours.get(owner)}m ${owner} \u001b[0m` : owner
}

function useColour(): boolean {
  if (process.env.NO_COLOR) return false
  return Boolean(process.env.FORCE_COLOR) || process.stdout.isTTY === true
}
