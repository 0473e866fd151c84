/** Waits for a condition, looking every millisecond; throws after a generous deadline. */
export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 4000
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`)
    await new Promise(resolve => setTimeout(resolve, 1))
  }
}
