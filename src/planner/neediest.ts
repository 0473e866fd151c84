/** The `count` of the positions whose topics have the greatest need, ties to the smaller name. */
export function neediest(positions: Int32Array, subscription: Int32Array, need: Int32Array, count: number): Int32Array {
  const size = positions.length
  if (count * 8 <= size) {
    for (let done = 0; done < count; done++) moveToFront(positions, done, subscription, need, 1)
    return positions.subarray(0, count)
  }
  if ((size - count) * 8 <= size) {
    for (let done = 0; done < size - count; done++) moveToFront(positions, done, subscription, need, -1)
    return positions.subarray(size - count)
  }
  const topics = need.length
  const keys = new Float64Array(size)
  for (let j = 0; j < size; j++) keys[j] = positions[j]! - need[subscription[positions[j]!]!]! * topics
  keys.sort()
  for (let j = 0; j < count; j++) positions[j] = ((keys[j]! % topics) + topics) % topics
  return positions.subarray(0, count)
}

/** Of the positions from `first` on, puts the neediest there (sign 1), or the least needy (sign -1). */
function moveToFront(positions: Int32Array, first: number, subscription: Int32Array, need: Int32Array, sign: 1 | -1) {
  let best = first
  let bestNeed = need[subscription[positions[best]!]!]!
  for (let j = first + 1; j < positions.length; j++) {
    const more = sign * (need[subscription[positions[j]!]!]! - bestNeed)
    if (more > 0 || (more === 0 && sign * (positions[j]! - positions[best]!) < 0)) {
      best = j
      bestNeed = need[subscription[positions[j]!]!]!
    }
  }
  const position = positions[best]!
  positions[best] = positions[first]!
  positions[first] = position
}
