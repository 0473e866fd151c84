/** The lines of a byte stream as bytes, without line feeds. A line may be tens of megabytes: its parts are joined once. */
export async function* linesOf(input: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array> {
  let parts: Uint8Array[] = []
  for await (const given of input) {
    let chunk = bytesOf(given)
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed)) {
      yield Buffer.concat([...parts, chunk.subarray(0, end)])
      parts = []
      chunk = chunk.subarray(end + 1)
    }
    if (chunk.length > 0) parts.push(chunk)
  }
  if (parts.length > 0) yield Buffer.concat(parts)
}

export async function bytesOfAll(input: AsyncIterable<Uint8Array | string>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const chunk of input) parts.push(bytesOf(chunk))
  return Buffer.concat(parts)
}

const lineFeed = 10

const bytesOf = (chunk: Uint8Array | string): Uint8Array => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
