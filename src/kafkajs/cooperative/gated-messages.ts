/**
 * Lets kafkajs' eachMessage loop end at a message boundary: before each message the loop is asked whether it may go on.
 * kafkajs resolves offsets message by message there, so what was not handed out is not committed.
 *
 * A handler of eachBatch always sees the whole batch. It may resolve, store or commit the batch's last offset by
 * itself, and a batch that ended early without its knowledge would lose records.
 */

interface FrameHolder {
  stack?: string
}

/** One consumer's knowledge of who iterates: asked once for each run. */
export class LoopProbe {
  private eachMessage: boolean | undefined

  /** A run may be of the other kind than the one before. */
  forget(): void {
    this.eachMessage = undefined
  }

  /** Whether kafkajs' own loop over single messages called `iterate`. */
  isEachMessageLoop(iterate: (...args: never[]) => unknown): boolean {
    this.eachMessage ??= calledByEachMessageLoop(iterate)
    return this.eachMessage
  }
}

/**
 * Runner.processEachMessage, called by a closure of Runner.handleBatch. Method names survive a minifier; where they do
 * not, the answer is no, and the loop is never ended.
 */
function calledByEachMessageLoop(iterate: (...args: never[]) => unknown): boolean {
  const holder: FrameHolder = {}
  Error.captureStackTrace(holder, iterate)
  const [caller, closure, owner] = String(holder.stack).split('\n').filter(isFrame)
  return (
    /\bprocessEachMessage\b/.test(caller ?? '') &&
    !/\bprocessEachBatch\b/.test(closure ?? '') &&
    /\bhandleBatch\b/.test(owner ?? '')
  )
}

const isFrame = (line: string): boolean => /^\s*at /.test(line)

/** Who is asked and told while messages are read. */
export interface Reader {
  /** Asked before each message of an eachMessage loop. */
  mayContinue(): boolean
  /** Told of each message that any loop takes. */
  taken(): void
}

export interface GatedMessages<Message> {
  readonly messages: Message[]
  /** Empties the batch. kafkajs passes over an empty batch: no handler is called. */
  withdraw(): void
}

/**
 * A copy of `messages` that becomes such an array after `filters` calls of `filter()`: what kafkajs' Batch shows as
 * `batch.messages`. Arrays that a user derives from that one are plain.
 */
export function gateMessages<Message>(
  messages: readonly Message[],
  filters: number,
  probe: LoopProbe,
  reader: Reader,
): GatedMessages<Message> {
  let shown: Message[] | undefined
  class Gated extends Array<Message> {
    constructor(length = 0) {
      super(length)
      shown = this
    }
    override [Symbol.iterator](): ArrayIterator<Message> {
      const mayEnd = probe.isEachMessageLoop(this[Symbol.iterator])
      return read(super[Symbol.iterator](), reader, mayEnd)
    }
  }
  derivesTo(Gated, Array)
  let Stage: new () => Message[] = Gated
  for (let i = 0; i < filters; i++) {
    const Next = Stage
    Stage = class extends Array<Message> {}
    derivesTo(Stage, Next)
  }
  const staged = new Stage()
  for (const message of messages) staged.push(message)
  const withdraw = () => {
    const batch = shown ?? staged
    batch.length = 0
  }
  return { messages: staged, withdraw }
}

/** What `filter()` and the like make of an array of this class. */
function derivesTo(of: object, derived: object): void {
  Object.defineProperty(of, Symbol.species, { value: derived })
}

function* read<Message>(all: Iterator<Message>, reader: Reader, mayEnd: boolean): ArrayIterator<Message> {
  for (;;) {
    if (mayEnd && !reader.mayContinue()) return undefined
    const { done, value } = all.next()
    if (done) return undefined
    reader.taken()
    yield value
  }
}
