export type Cell = string | number | undefined

/** A table of Markdown; columns whose cells are numbers are aligned right. */
export function table(heads: string[], rows: Cell[][]): string {
  const numeric = heads.map((_, i) => rows.some(row => /^[<≤]?\d/.test(String(row[i] ?? ''))))
  const line = (cells: Cell[]) => `| ${cells.map(cell => cell ?? '').join(' | ')} |`
  return [line(heads), line(numeric.map(each => (each ? '--:' : '---'))), ...rows.map(line)].join('\n')
}

/** Milliseconds as a whole number; a dash for what there was not. */
export const ms = (value: number | null): string => (value === null ? '–' : Math.round(value).toLocaleString('en-US'))
