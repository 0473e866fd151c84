/**
 * Names from a group are anybody's: control characters, also those that turn the direction of writing, and halves of
 * surrogate pairs are shown as escapes, so that no name can move the cursor or dress up as another.
 */
export function printable(name: string): string {
  return name.replace(unprintable, character => `\\u{${character.codePointAt(0)!.toString(16)}}`)
}

/** JSON whose strings are as harmless on a terminal. */
export function printableJson(value: unknown): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  // Line feeds are JSON's own indentation; inside strings it has escaped them already.
  return JSON.stringify(value, null, 2).replace(unprintable, text =>
    text === '\n' ? text : Array.from({ length: text.length }, (_, i) => escaped(text[i]!)).join(''),
  )
}

const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu
