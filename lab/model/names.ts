/** Names for consumers to come: the last one's, counted on. */
export function nextNames(taken: readonly string[], count: number): string[] {
  const stem = taken.at(-1)?.replace(/\d+$/, '') ?? 'c'
  const numbers = taken.filter(name => name.startsWith(stem)).map(name => Number(name.slice(stem.length)) || 0)
  const names: string[] = []
  for (let n = Math.max(0, ...numbers) + 1; names.length < count; n++) {
    const name = `${stem}${n}`
    if (!taken.includes(name)) names.push(name)
  }
  return names
}
