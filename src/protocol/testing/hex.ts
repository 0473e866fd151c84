/** Bytes of a hex string; spaces separate fields. */
export const bytesOf = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex.replaceAll(' ', ''), 'hex'))

export const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
