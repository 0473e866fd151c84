/** Growth on logarithmic axes, as SVG. */

const colours = ['#2563eb', '#0d9488', '#d97706', '#dc2626']
const width = 900
const height = 380
const panel = { width: 330, height: 260, top: 50 }

export function plot({ partitions, members }) {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    '<title>Plan time by partitions and by members</title>',
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    drawPanel(80, 'plan time by partitions, ms', partitions, x => x * Math.log2(x), 'P·log P'),
    drawPanel(520, 'plan time by members, ms', members, x => x, 'linear'),
    ...partitions.map(({ name }, i) => {
      const x = 80 + i * 200
      return `<rect x="${x}" y="${height - 22}" width="12" height="12" fill="${colours[i]}"/><text x="${x + 18}" y="${height - 12}">${name}</text>`
    }),
    '</svg>',
    '',
  ].join('\n')
}

function drawPanel(left, title, series, reference, referenceName) {
  const all = series.flatMap(({ points }) => points)
  const [x0, x1] = decades(all.map(({ x }) => x))
  const [y0, y1] = decades(all.map(({ ms }) => ms))
  const at = (x, ms) => [
    left + ((Math.log10(x) - x0) / (x1 - x0)) * panel.width,
    panel.top + panel.height - ((Math.log10(ms) - y0) / (y1 - y0)) * panel.height,
  ]
  const line = points => points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ')
  const bottom = panel.top + panel.height
  const grid = []
  for (let e = x0; e <= x1; e++) {
    const [x] = at(10 ** e, 10 ** y0)
    grid.push(`<line x1="${x}" y1="${panel.top}" x2="${x}" y2="${bottom}" stroke="#e5e7eb"/>`)
    grid.push(`<text x="${x}" y="${bottom + 18}" text-anchor="middle">${(10 ** e).toLocaleString('en-US')}</text>`)
  }
  for (let e = y0; e <= y1; e++) {
    const [, y] = at(10 ** x0, 10 ** e)
    grid.push(`<line x1="${left}" y1="${y}" x2="${left + panel.width}" y2="${y}" stroke="#e5e7eb"/>`)
    grid.push(`<text x="${left - 8}" y="${y + 4}" text-anchor="end">${Number((10 ** e).toPrecision(1))}</text>`)
  }
  // The reference passes through the last point of the first series.
  const { x: lastX, ms: lastMs } = series[0].points.at(-1)
  const expected = series[0].points
    .map(({ x }) => [x, (lastMs * reference(x)) / reference(lastX)])
    .filter(([, ms]) => ms >= 10 ** y0)
    .map(([x, ms]) => at(x, ms))
  return [
    `<text x="${left}" y="${panel.top - 18}" font-size="14">${title}; dashed: ${referenceName}</text>`,
    ...grid,
    `<polyline fill="none" stroke="#9ca3af" stroke-dasharray="5 4" points="${line(expected)}"/>`,
    ...series.map(
      ({ points }, i) =>
        `<polyline fill="none" stroke="${colours[i]}" stroke-width="2" points="${line(points.map(({ x, ms }) => at(x, ms)))}"/>`,
    ),
  ].join('\n')
}

const decades = values => [Math.floor(Math.log10(Math.min(...values))), Math.ceil(Math.log10(Math.max(...values)))]

/** Slope of the least-squares line through log x, log ms. */
export function exponent(points) {
  const logs = points.map(({ x, ms }) => [Math.log(x), Math.log(ms)])
  const mean = of => logs.reduce((sum, each) => sum + each[of], 0) / logs.length
  const [mx, my] = [mean(0), mean(1)]
  const slope = logs.reduce((s, [x, y]) => s + (x - mx) * (y - my), 0) / logs.reduce((s, [x]) => s + (x - mx) ** 2, 0)
  return slope
}
