/** One call at a time: whoever asks for the same while it runs gets its answer. */
export class SharedCall<Answer> {
  private running: { readonly key: string; readonly answer: Promise<Answer> } | null = null

  call(key: string, start: () => Promise<Answer>): Promise<Answer> {
    if (this.running?.key === key) return this.running.answer
    const running = {
      key,
      answer: start().finally(() => {
        if (this.running === running) this.running = null
      }),
    }
    this.running = running
    return running.answer
  }
}
