/**
 * The compact file that carries a group to every contender, and the one that carries a plan back. Both are big-endian
 * (what Java's DataInputStream and Go's binary.BigEndian read without help).
 *
 *   group  = int generation · int T · T × (name, int partitions)
 *          · int M · M × (name, int S, S × int topic, int K, K × (int topic, int n, n × int partition))
 *   answer = int M · M × (int K, K × (int topic, int n, n × int partition))       members in the group's order
 *   name   = unsigned short length · that many bytes of ASCII
 */
import { readFileSync, writeFileSync } from 'node:fs'

export function writeGroup(path, group) {
  const out = writer()
  out.int(group.generation)
  out.int(group.topics.length)
  for (const topic of group.topics) {
    out.name(topic.name)
    out.int(topic.partitions)
  }
  out.int(group.members.length)
  for (const member of group.members) {
    out.name(member.id)
    out.ints(member.topics)
    out.lists(member.owned)
  }
  writeFileSync(path, out.bytes())
}

export function readGroup(path) {
  const input = reader(readFileSync(path))
  const generation = input.int()
  const topics = input.times(() => ({ name: input.name(), partitions: input.int() }))
  const members = input.times(() => ({
    id: input.name(),
    topics: input.times(input.int),
    owned: input.lists(),
  }))
  return { generation, topics, members }
}

/** @param {[topic: number, partitions: number[]][][]} lists by member, in the group's order */
export function writeAnswer(path, lists) {
  const out = writer()
  out.int(lists.length)
  for (const list of lists) out.lists(list)
  writeFileSync(path, out.bytes())
}

export function readAnswer(path) {
  const input = reader(readFileSync(path))
  return input.times(input.lists)
}

function writer() {
  let buffer = Buffer.allocUnsafe(1 << 20)
  let end = 0
  const room = bytes => {
    if (end + bytes <= buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(buffer.length * 2, end + bytes))
    buffer.copy(larger, 0, 0, end)
    buffer = larger
  }
  const int = value => {
    room(4)
    end = buffer.writeInt32BE(value, end)
  }
  const ints = values => {
    int(values.length)
    for (const value of values) int(value)
  }
  return {
    int,
    ints,
    name: text => {
      room(2 + text.length)
      end = buffer.writeUInt16BE(text.length, end)
      end += buffer.write(text, end, 'latin1')
    },
    lists: pairs => {
      int(pairs.length)
      for (const [topic, partitions] of pairs) {
        int(topic)
        ints(partitions)
      }
    },
    bytes: () => buffer.subarray(0, end),
  }
}

function reader(buffer) {
  let at = 0
  const int = () => {
    at += 4
    return buffer.readInt32BE(at - 4)
  }
  const times = read => {
    const count = int()
    const out = []
    for (let i = 0; i < count; i++) out.push(read())
    return out
  }
  return {
    int,
    times,
    lists: () => times(() => [int(), times(int)]),
    name: () => {
      const length = buffer.readUInt16BE(at)
      at += 2 + length
      return buffer.latin1Slice(at - length, at)
    },
  }
}
