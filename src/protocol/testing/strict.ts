/**
 * A second reading of the schemas, to hold the decoders against: as the tools do it that describe a group, every field
 * has to be there, and nothing may be left over. Throws at the first fault.
 */
export interface StrictSubscription {
  version: number
  topics: string[]
  userData: Buffer | null
  ownedPartitions?: StrictEntry[]
  generationId?: number
  rackId?: string | null
}

export interface StrictAssignment {
  version: number
  partitions: StrictEntry[]
  userData: Buffer | null
}

export interface StrictEntry {
  topic: string
  partitions: number[]
}

export function strictSubscription(bytes: Uint8Array, allowTrailing = false): StrictSubscription {
  const input = new Input(bytes)
  const version = input.version()
  const subscription: StrictSubscription = {
    version,
    topics: input.array(() => input.string()),
    userData: input.nullable(4, length => input.take(length)),
  }
  if (version >= 1) subscription.ownedPartitions = input.entries()
  if (version >= 2) subscription.generationId = input.number(4)
  if (version >= 3) subscription.rackId = input.nullable(2, length => input.take(length).toString('utf8'))
  if (!allowTrailing) input.end()
  return subscription
}

export function strictAssignment(bytes: Uint8Array, allowTrailing = false): StrictAssignment {
  const input = new Input(bytes)
  const assignment = {
    version: input.version(),
    partitions: input.entries(),
    userData: input.nullable(4, length => input.take(length)),
  }
  if (!allowTrailing) input.end()
  return assignment
}

export function strictStickyUserData(bytes: Uint8Array): { partitions: StrictEntry[]; generation: number } {
  const input = new Input(bytes)
  const userData = { partitions: input.entries(), generation: input.number(4) }
  input.end()
  return userData
}

class Input {
  private readonly buffer: Buffer
  private position = 0

  constructor(bytes: Uint8Array) {
    this.buffer = Buffer.from(bytes)
  }

  take(length: number): Buffer {
    if (length < 0 || this.position + length > this.buffer.length) throw new RangeError(`no ${length} bytes left`)
    this.position += length
    return this.buffer.subarray(this.position - length, this.position)
  }

  number(size: 2 | 4): number {
    return this.take(size).readIntBE(0, size)
  }

  version(): number {
    const version = this.number(2)
    if (version < 0) throw new RangeError(`version ${version}`)
    return version
  }

  nullable<T>(size: 2 | 4, read: (length: number) => T): T | null {
    const length = this.number(size)
    return length === -1 ? null : read(length)
  }

  string(): string {
    return this.take(this.number(2)).toString('utf8')
  }

  array<T>(item: () => T): T[] {
    const count = this.number(4)
    if (count < 0) throw new RangeError(`${count} items`)
    const items: T[] = []
    for (let i = 0; i < count; i++) items.push(item())
    return items
  }

  entries(): StrictEntry[] {
    return this.array(() => ({ topic: this.string(), partitions: this.array(() => this.number(4)) }))
  }

  end(): void {
    if (this.position < this.buffer.length)
      throw new RangeError(`${this.buffer.length - this.position} bytes left over`)
  }
}
