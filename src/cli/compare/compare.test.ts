import { readFileSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { runProgram } from '../program'
import { sink } from '../testing/sink'
import type { Comparison } from './comparison'

async function compare(args: string[], stdin = '') {
  const [stdout, stderr] = [sink(), sink()]
  const io = {
    stdin: (async function* () {
      yield stdin
    })(),
    stdout: stdout.stream,
    stderr: stderr.stream,
  }
  const status = await runProgram(['compare', ...args], io)
  return { status, stdout: stdout.text(), stderr: stderr.text() }
}

async function comparisonOf(args: string[], stdin = ''): Promise<Comparison> {
  const { status, stdout, stderr } = await compare([...args, '--format', 'json'], stdin)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return JSON.parse(stdout) as Comparison
}

const scenario = (value: object) => comparisonOf(['--scenario', '-'], JSON.stringify(value))
const figures = ({ steps }: Comparison, strategy: string) =>
  steps.map(({ results }) => {
    const { counts, moved, minimum, idle } = results.find(result => result.strategy === strategy)!
    return [counts.join('/'), moved, minimum, idle.length]
  })

describe('shares measured on Kafka 4.3.1', () => {
  type Share = Record<string, number[]>
  const { scenarios } = JSON.parse(
    readFileSync(join(__dirname, '../../../test/cases/kafka-4.3.1-share-sets.json'), 'utf8'),
  ) as {
    scenarios: { strategy: string; topics: Record<string, number>; shares: Share[]; joins: number[]; ids?: string[] }[]
  }
  const asSet = (shares: Share[]) => shares.map(share => JSON.stringify(Object.entries(share).sort())).sort()

  test.each(scenarios.map(row => [row.strategy, row.shares.length, JSON.stringify(row.topics), row] as const))(
    '%s with %i consumers of %s',
    async (strategy, _consumers, _topics, { topics, joins, ids, shares }) => {
      const { steps } = await comparisonOf([
        ...[
          '--topics',
          Object.entries(topics)
            .map(([topic, count]) => `${topic}=${count}`)
            .join(),
        ],
        ...['--consumers', joins.join()],
        ...(ids ? ['--ids', ids.join()] : []),
        ...['--strategies', strategy.includes('sticky') ? 'kafka-sticky' : strategy],
      ])
      const { assignment } = steps.at(-1)!.results[0]!
      expect(asSet(Object.values(assignment) as Share[])).toEqual(asSet(shares))
    },
  )
})

describe('a history', () => {
  test('of sizes: the last to join are the first to leave', async () => {
    const comparison = await comparisonOf(['--topics', '3', '--partitions', '24', '--consumers', '6,8,4'])
    expect(comparison.steps.map(({ what, consumers }) => [what, consumers]).slice(1)).toEqual([
      ['c7 and c8 join', 8],
      ['c5, c6, c7 and c8 leave', 4],
    ])
    const twelve = new Array(6).fill(12).join('/')
    expect(figures(comparison, 'sticky')).toEqual([
      [twelve, 72, 72, 0],
      ['9/9/9/9/9/9/9/9', 18, 18, 0],
      ['18/18/18/18', 36, 36, 0],
    ])
    expect(figures(comparison, 'range')).toEqual([
      [twelve, 72, 72, 0],
      ['9/9/9/9/9/9/9/9', 54, 18, 0],
      ['18/18/18/18', 63, 36, 0],
    ])
    expect(comparison.totals.map(({ strategy }) => strategy)).toEqual(['range', 'roundrobin', 'kafka-sticky', 'sticky'])
    expect(comparison.totals[3]).toEqual({ strategy: 'sticky', moved: 126, minimum: 126 })
    expect(comparison.note).toMatch(/sizes.*predictable.*Which consumer gets which share is not/)
  })

  test('from a file: the worked trace', async () => {
    const comparison = await scenario({
      topics: { t: 9 },
      consumers: ['W', 'X', 'Y'],
      owned: { W: { t: [0, 1, 2] }, X: { t: [3, 4, 5, 6] }, Y: { t: [7, 8] } },
      steps: [{ crash: 'W', join: 'Z' }],
    })
    expect(comparison.steps[1]!.what).toBe('W crashes, Z joins')
    expect(comparison.steps[1]!.results.find(({ strategy }) => strategy === 'sticky')).toMatchObject({
      assignment: { X: { t: [3, 4, 5] }, Y: { t: [2, 7, 8] }, Z: { t: [0, 1, 6] } },
      moved: 4,
      minimum: 4,
    })
  })

  test('with every kind of step', async () => {
    const comparison = await scenario({
      topics: { orders: 4, audit: { partitions: 2, racks: ['r1', 'r2'], replicas: 1 } },
      consumers: [
        { id: 'a', topics: ['orders'] },
        { id: 'b', rack: 'r1' },
      ],
      steps: [
        { join: [{ id: 'c', topics: ['audit'], rack: 'r2' }, 'd'] },
        { subscribe: { a: null, d: ['orders'] } },
        { crash: ['a', 'd'] },
        { restart: 'a', leave: 'd' },
        { topics: { orders: 8, extra: 1 } },
        { delete: 'audit' },
      ],
    })
    expect(comparison.steps.map(({ consumers, partitions }) => [consumers, partitions])).toEqual([
      [2, 6],
      [4, 6],
      [4, 6],
      [2, 6],
      [3, 6],
      [3, 11],
      [3, 9],
    ])
    expect(comparison.steps.at(-1)!.results.at(-1)).toMatchObject({ counts: [5, 4, 0], idle: ['c'] })
  })

  test('names that objects know are names like any other', async () => {
    const text =
      '{"topics":{"__proto__":2,"10":1},"consumers":["__proto__","constructor"],"steps":[{"crash":"__proto__"}]}'
    const { steps } = await comparisonOf(['--scenario', '-', '--strategies', 'sticky'], text)
    expect(JSON.stringify(steps[0]!.results[0]!.assignment)).toContain('"__proto__":{"')
    expect(steps[1]!.results[0]!.counts).toEqual([3])
  })
})

describe('formats', () => {
  const args = ['--topics', 't=3', '--consumers', '1,2', '--strategies', 'range,cooperative-sticky']

  test('text', async () => {
    expect((await compare(args)).stdout).toMatchInlineSnapshot(`
"Start: t has 3 partitions; 1 consumer, 3 partitions

  strategy            shares  idle  moved  minimum
  range               3       0     3      3
  cooperative-sticky  3       0     3      3

  consumer  range  cooperative-sticky
  c1        t 0-2  t 0-2

Step 1: c2 joins; 2 consumers, 3 partitions

  strategy            shares  idle  moved  minimum
  range               2/1     0     1      1
  cooperative-sticky  2/1     0     1      1

  consumer  range  cooperative-sticky
  c1        t 0-1  t 0-1
  c2        t 2    t 2

In all

  strategy            moved  minimum
  range               4      4
  cooperative-sticky  4      4

The sizes of the shares are predictable from strategy, topics and the order in which consumers come and go. Which
consumer gets which share is not: member ids decide between equals, and those of a live group are random. With
kafka-sticky even the sets depend on them. The minimum is what the balanced plan with the fewest moves would move from
the same position; a strategy that leaves the group out of balance may move fewer.
"
`)
  })

  test('markdown, with names as text', async () => {
    const { stdout } = await compare([...args, '--ids', 'a|b,<i>', '--format', 'markdown'])
    expect(stdout).toMatchInlineSnapshot(`
"### Start: t has 3 partitions; 1 consumer, 3 partitions

| strategy | shares | idle | moved | minimum |
| --- | --- | --- | --- | --- |
| range | 3 | 0 | 3 | 3 |
| cooperative-sticky | 3 | 0 | 3 | 3 |

| consumer | range | cooperative-sticky |
| --- | --- | --- |
| a\\|b | t 0-2 | t 0-2 |

### Step 1: \\<i\\> joins; 2 consumers, 3 partitions

| strategy | shares | idle | moved | minimum |
| --- | --- | --- | --- | --- |
| range | 2/1 | 0 | 2 | 1 |
| cooperative-sticky | 2/1 | 0 | 1 | 1 |

| consumer | range | cooperative-sticky |
| --- | --- | --- |
| a\\|b | t 2 | t 0-1 |
| \\<i\\> | t 0-1 | t 2 |

### In all

| strategy | moved | minimum |
| --- | --- | --- |
| range | 5 | 4 |
| cooperative-sticky | 4 | 4 |

The sizes of the shares are predictable from strategy, topics and the order in which consumers come and go. Which
consumer gets which share is not: member ids decide between equals, and those of a live group are random. With
kafka-sticky even the sets depend on them. The minimum is what the balanced plan with the fewest moves would move from
the same position; a strategy that leaves the group out of balance may move fewer.
"
`)
  })
})

describe('what cannot be read', () => {
  test.each([
    [[]],
    [['--topics', '3']],
    [['--consumers', '3']],
    [['--topics', '3', '--consumers', '2']],
    [['--topics', 'a=x', '--consumers', '2']],
    [['--topics', 'a=1,a=2', '--consumers', '2']],
    [['--topics', 'a=1', '--consumers', '2,,3']],
    [['--topics', 'a=1', '--consumers=-2']],
    [['--topics', 'a=1', '--consumers', '2', '--ids', 'x,x']],
    [['--topics', 'a=1', '--consumers', '1,2', '--ids', 'c2']],
    [['--topics', 'a=1=2', '--consumers', '2']],
    [['--topics', '11', '--partitions', '999999', '--consumers', '2']],
    [['--topics', 'a=1', '--consumers', '2', '--format', 'html']],
    [['--topics', 'a=1', '--consumers', '2', '--strategies', 'sticky,best']],
    [['--topics', 'a=1', '--scenario', '-']],
    [['--topic', 'a=1', '--consumers', '2']],
    [['scenario.json']],
  ])('flags %j: the usage, and exit status 2', async args => {
    const { status, stdout, stderr } = await compare(args)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toMatch(/^\S.*\n\nUsage: kafkajs-sticky-assignor compare/)
  })

  test.each([
    ['{"topics":{"t":1},\n "consumers":[x]}', 'line 2, column 15: not JSON: Unexpected token'],
    [
      '{"topics":{"t":1},\n "consumers":["a" "b"]}',
      "line 2, column 19: not JSON: Expected ',' or ']' after array element",
    ],
    ['{"topics":{"t":1}', "line 1, column 18: not JSON: Expected ',' or '}' after property value"],
    ['', 'line 1, column 1: not JSON: Unexpected end of JSON input'],
    ['{"topics":{"t":1}}}', /^compare: -: line 1, column 19: not JSON: [^0-9]+$/],
    ['[]', 'expected an object with topics, consumers, owned, steps, got a list of 0'],
    ['{"consumers":2}', 'topics: expected an object of topics, got nothing'],
    ['{"topics":{"t":-1},"consumers":2}', 'topics.t: expected a number from 0 to 1000000, got -1'],
    ['{"topics":{"t":1e400},"consumers":2}', 'topics.t: expected a number from 0 to 1000000, got Infinity'],
    [
      '{"topics":{"a b":{"partitions":1,"rack":"r"}},"consumers":2}',
      'topics["a b"].rack: unknown; expected one of partitions',
    ],
    ['{"topics":{"t":1}}', 'consumers: expected a list of consumers, or their number, got nothing'],
    ['{"topics":{"t":1},"consumers":["a","a"]}', 'consumers[1]: "a" is there already'],
    [
      '{"topics":{"t":1},"consumers":[{"id":"a","topics":"t"}]}',
      'consumers[0].topics: expected a list of topics, got "t"',
    ],
    ['{"topics":{"t":1},"consumers":["a"],"owned":{"b":{}}}', 'owned.b: expected one of the consumers, got "b"'],
    ['{"topics":{"t":1},"consumers":["a"],"owned":{"a":{"t":[1]}}}', 'owned.a.t: expected partitions below 1, got 1'],
    ['{"topics":{"t":1},"consumers":["a"],"steps":{"join":"b"}}', 'steps: expected a list of steps, got an object'],
    [
      '{"topics":{"t":1},"consumers":["a"],"steps":[{"joins":"b"}]}',
      'steps[0].joins: unknown; expected one of leave, crash',
    ],
    ['{"topics":{"t":1},"consumers":["a"],"steps":[{"join":[5]}]}', 'steps[0].join[0]: expected the id of a consumer'],
    [
      '{"topics":{"t":1},"consumers":["a"],"steps":[{},{"crash":"b"}]}',
      'steps[1]: crashes "b", who is not in the group',
    ],
    [
      '{"topics":{"t":1e6},"consumers":1,"steps":[{"topics":{"u":1e6}},{"topics":{"a":1e6,"b":1e6,"c":1e6,"d":1e6,"e":1e6,"f":1e6,"g":1e6,"h":1e6,"i":1e6}}]}',
      'steps[1]: expected at most 10000000 partitions in all, got 11000000',
    ],
    [
      '{"topics":{"t":2},"consumers":["a"],"steps":[{"topics":{"t":1}}]}',
      'steps[0]: grows "t", which has 2 partitions already',
    ],
  ])('%s: file and place', async (text, message) => {
    const { status, stdout, stderr } = await compare(['--scenario', '-'], text)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toEqual(
      typeof message === 'string' ? expect.stringContaining(`compare: -: ${message}`) : expect.stringMatching(message),
    )
    expect(stderr.trimEnd()).not.toContain('\n')
  })

  test('the file is named, and read from the disk', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'compare-'))
    const file = join(folder, 'scenario.json')
    expect((await compare(['--scenario', file])).stderr).toContain(`compare: ${file}: cannot be read: ENOENT`)
    await writeFile(file, '{"topics":{"t":1},"consumers":1}')
    expect((await compare(['--scenario', file])).status).toBe(0)
  })
})
