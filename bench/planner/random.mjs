/** Seeded random numbers (mulberry32), so that every run and every contender sees the same groups. */
export function random(seed) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  const below = n => Math.floor(next() * n)
  const shuffled = list => {
    const out = [...list]
    for (let i = out.length - 1; i > 0; i--) {
      const j = below(i + 1)
      ;[out[i], out[j]] = [out[j], out[i]]
    }
    return out
  }
  const hex = digits => Array.from({ length: digits }, () => below(16).toString(16)).join('')
  return { next, below, shuffled, hex }
}
