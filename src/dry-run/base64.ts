const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const invalid = 255

const values = new Uint8Array(128).fill(invalid)
for (let i = 0; i < alphabet.length; i++) values[alphabet.charCodeAt(i)] = i
// The URL-safe alphabet.
values['-'.charCodeAt(0)] = 62
values['_'.charCodeAt(0)] = 63

/** Bytes of a base64 text, padded or not, or null if it is none. Neither Buffer nor a browser's atob is needed. */
export function decodeBase64(text: string): Uint8Array | null {
  const length = text.replace(/={1,2}$/, '').length
  if (length % 4 === 1 || (length < text.length && text.length % 4 !== 0)) return null
  const bytes = new Uint8Array(Math.floor((length * 3) / 4))
  let bits = 0
  let next = 0
  for (let i = 0; i < length; i++) {
    const value = values[text.charCodeAt(i)] ?? invalid
    if (value === invalid) return null
    bits = ((bits << 6) | value) & 0xffffff
    const pending = ((i + 1) * 6) % 8
    if (i % 4 !== 0) bytes[next++] = bits >> pending
  }
  return bytes
}
