/** Screenshots as one moving picture: an animated PNG, in which each frame holds only what is not as in the one before. */

import { crc32, deflateSync, inflateSync } from 'node:zlib'

export interface Frame {
  /** A PNG as Chromium writes it: 8 bits a channel, red, green and blue, with or without alpha, not interlaced. */
  readonly png: Buffer
  readonly ms: number
}

interface Image {
  readonly width: number
  readonly height: number
  /** Red, green, blue and alpha of each pixel. */
  readonly pixels: Uint8Array
}

const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10])
const CHANNELS = 4

export function animate(frames: readonly Frame[]): Buffer {
  const images = frames.map(({ png }) => decode(png))
  const { width, height } = images[0]!
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 6], 8)
  const control = Buffer.alloc(8)
  control.writeUInt32BE(frames.length, 0)
  let sequence = 0
  const chunks = images.flatMap((image, i) => {
    const before = images[i - 1]
    const box = before ? changedBox(before, image) : { x: 0, y: 0, width, height }
    const data = deflateSync(filtered(image, box, before), { level: 9 })
    const frame = chunk('fcTL', frameControl(sequence++, box, frames[i]!.ms))
    if (i === 0) return [frame, chunk('IDAT', data)]
    const number = Buffer.alloc(4)
    number.writeUInt32BE(sequence++, 0)
    return [frame, chunk('fdAT', Buffer.concat([number, data]))]
  })
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('acTL', control),
    ...chunks,
    chunk('IEND', Buffer.alloc(0)),
  ])
}

interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

function frameControl(sequence: number, { x, y, width, height }: Box, ms: number): Buffer {
  const control = Buffer.alloc(26)
  for (const [i, value] of [sequence, width, height, x, y].entries()) control.writeUInt32BE(value, i * 4)
  control.writeUInt16BE(ms, 20)
  control.writeUInt16BE(1000, 22)
  // Leave the frame where it is, and lay the next one over it.
  control.set([0, 1], 24)
  return control
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length, 0)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body), 0)
  return Buffer.concat([length, body, sum])
}

/** The smallest box around all that differs; one pixel, where nothing does. */
function changedBox(before: Image, { width, height, pixels }: Image): Box {
  let [left, right, top, bottom] = [width, 0, height, 0]
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (!differs(before.pixels, pixels, (y * width + x) * CHANNELS)) continue
      left = Math.min(left, x)
      right = Math.max(right, x)
      top = Math.min(top, y)
      bottom = y
    }
  }
  return left > right
    ? { x: 0, y: 0, width: 1, height: 1 }
    : { x: left, y: top, width: right - left + 1, height: bottom - top + 1 }
}

const differs = (a: Uint8Array, b: Uint8Array, at: number): boolean =>
  a[at] !== b[at] || a[at + 1] !== b[at + 1] || a[at + 2] !== b[at + 2]

/** Rows of a box, each behind the number of its filter. What is as before is transparent. */
function filtered({ width, pixels }: Image, box: Box, before: Image | undefined): Buffer {
  const rowLength = box.width * CHANNELS
  const rows: Buffer[] = []
  for (let y = box.y; y < box.y + box.height; y++) {
    const row = Buffer.alloc(1 + rowLength)
    for (let x = 0; x < box.width; x++) {
      const at = (y * width + box.x + x) * CHANNELS
      if (!before || differs(before.pixels, pixels, at)) row.set(pixels.subarray(at, at + CHANNELS), 1 + x * CHANNELS)
    }
    rows.push(row)
  }
  return Buffer.concat(rows)
}

function decode(png: Buffer): Image {
  const width = png.readUInt32BE(16)
  const height = png.readUInt32BE(20)
  const [depth, color, , , interlaced] = png.subarray(24, 29)
  if (depth !== 8 || (color !== 2 && color !== 6) || interlaced !== 0) throw new Error('a PNG of another kind')
  const data: Buffer[] = []
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
  const size = color === 6 ? 4 : 3
  const raw = unfiltered(inflateSync(Buffer.concat(data)), width * size, height, size)
  const pixels = new Uint8Array(width * height * CHANNELS).fill(255)
  for (let i = 0; i < width * height; i++) for (let c = 0; c < size; c++) pixels[i * CHANNELS + c] = raw[i * size + c]!
  return { width, height, pixels }
}

/** Undoes PNG's filters: each byte is told as the difference to its neighbours on the left and above. */
function unfiltered(data: Buffer, rowLength: number, height: number, size: number): Uint8Array {
  const out = new Uint8Array(rowLength * height)
  for (let y = 0; y < height; y++) {
    const filter = data[y * (rowLength + 1)]!
    for (let x = 0; x < rowLength; x++) {
      const at = y * rowLength + x
      const left = x >= size ? out[at - size]! : 0
      const above = y > 0 ? out[at - rowLength]! : 0
      const corner = x >= size && y > 0 ? out[at - rowLength - size]! : 0
      out[at] = data[y * (rowLength + 1) + 1 + x]! + guess(filter, left, above, corner)
    }
  }
  return out
}

function guess(filter: number, left: number, above: number, corner: number): number {
  if (filter === 1) return left
  if (filter === 2) return above
  if (filter === 3) return (left + above) >> 1
  if (filter !== 4) return 0
  // Paeth: whichever neighbour is nearest to left + above - corner.
  const a = Math.abs(above - corner)
  const b = Math.abs(left - corner)
  const c = Math.abs(left + above - 2 * corner)
  return a <= b && a <= c ? left : b <= c ? above : corner
}
