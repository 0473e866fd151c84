/** The little of SVG that the pictures need. Colours that differ in the dark, in print and to the colour-blind. */
export const colours = ['#2563eb', '#d97706', '#0d9488', '#be185d', '#7c3aed', '#65a30d', '#475569', '#dc2626'] as const

export function svg(title: string, width: number, height: number, parts: string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<title>${plain(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n')
}

export const text = (x: number, y: number, content: string, more = '') =>
  `<text x="${x}" y="${y}" fill="#1f2937"${more}>${plain(content)}</text>`

const plain = (content: string) => content.replaceAll('`', '').replaceAll('&', '&amp;').replaceAll('<', '&lt;')
