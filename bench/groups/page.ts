/** docs/comparison.md. */
import { groupCandidates } from '../live/candidates'
import { type Cell, ms, table } from '../live/markdown'
import { type LifeResult, partitionsEach, rate, times, topicCount } from './life'
import type { Run } from './main'

const titleOf = (candidate: string) => groupCandidates.find(({ id }) => id === candidate)!.title

export function page({ date, machine, results }: Run): string {
  const changes = results[0]!.changes.map(({ change }) => change)
  return `${[
    '# A group that grows and shrinks, compared',
    `Printed by \`npm run bench:groups -- --write\`; nothing here is written by hand. ${date}; ${machine}.`,
    how,
    '![Partitions that moved](comparison-moved.svg)',
    '![Pauses](comparison-pauses.svg)',
    ...changes.map(change => `## ${change}\n\n${changeTable(results, change)}`),
    reading,
  ].join('\n\n')}\n`
}

const how = `${topicCount} topics of ${partitionsEach} partitions, ${rate} records a second in each partition, all sent at once every ${1000 / rate} ms, handlers that
do nothing. Six members; two join at once; four stop at once; one of the last four is killed. Manual commits: kafkajs'
\`eachMessage\` with \`commitOffsets\` after each record, four partitions at a time; Java \`commitSync\` after each poll of at most 20 records.
Session ${ms(times.session)} ms, heartbeat ${ms(times.heartbeat)} ms, fetches wait 500 ms at most; the cooperative assignor's own heartbeats every 500 ms. Each kafkajs consumer is a process of its own;
Java's eight are threads of four JVMs (compiled by C1 only), since eight JVMs would fill this machine. All have worked before
they are measured. One broker, one run, one candidate after the other.

- **moved (fewest)**: partitions with another owner, and how many balance asks for.
- **duration**: from the change to the last member's new assignment, in ms. After a kill it includes the session.
- **pause**: the longest time for which one partition had a record that the broker had acknowledged and no handler began, over all
  kept and over all moved ones, from the change until 2 s after the group is at rest, in ms; **before**: the same over all
  partitions in the 2 s before.
- **silence**: the longest time in all that without an acknowledged record, in ms. What is far above ${1000 / rate} is the broker's disk or the
  machine, whoever is measured.
- **redelivered**: records handled again; **at once**: handlers that began while another of the partition was at work;
  **lost**: records nobody had handled in the end, over all changes.`

const reading = `What the strategies promise: range and round robin deal anew at each change, whatever that moves. Sticky moves the
fewest, and stops everybody while it does. Cooperative sticky moves the fewest and stops only what moves. The pauses beyond that are the client's:
an eager group waits for the heartbeat of its slowest member.`

/** The figures of a change, for the page and for the terminal. */
export function changeTable(results: LifeResult[], name: string): string {
  const rows: Cell[][] = results.map(({ candidate, changes, never }) => {
    const change = changes.find(each => each.change === name)!
    return [
      titleOf(candidate),
      `${change.moved} (${change.fewest})`,
      ms(change.durationMs),
      ms(change.quietPause),
      ms(change.keptPause),
      ms(change.movedPause),
      ms(change.silenceMs),
      change.again,
      change.atOnce,
      never,
    ]
  })
  const pauses = ['pause before', 'kept', 'moved', 'silence']
  return table(['', 'moved (fewest)', 'duration', ...pauses, 'redelivered', 'at once', 'lost'], rows)
}
