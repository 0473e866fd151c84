import { describe, expect, test } from '@jest/globals'
import { UsageError } from '../command'
import { readFlags } from './flags'

const live = ['--brokers', 'a:1', '--group', 'g']

describe('flags of inspect', () => {
  test('what is not given', () => {
    expect(readFlags(live, {})).toEqual({
      source: { groupId: 'g', settings: { brokers: ['a:1'], timeoutMs: 10_000 } },
      changes: { add: [], remove: [], partitions: new Map() },
      strategy: null,
      claims: 'current',
      reasons: false,
      save: null,
      format: 'text',
    })
  })

  test('every change, several times', () => {
    const changes = [
      '--add',
      '2',
      '--add',
      '1=a,b',
      '--remove',
      'x',
      '--remove',
      'y',
      '--partitions',
      'a=b=3',
      '--partitions',
      'c=0',
    ]
    expect(readFlags([...live, ...changes], {}).changes).toEqual({
      add: [
        { count: 2, topics: null },
        { count: 1, topics: ['a', 'b'] },
      ],
      remove: ['x', 'y'],
      partitions: new Map([
        ['a=b', 3],
        ['c', 0],
      ]),
    })
  })

  test('a request is replayed without a cluster, whatever the environment says', () => {
    expect(readFlags(['--replay', 'f'], { KAFKA_BROKERS: 'a:1' }).source).toEqual({ replay: 'f' })
  })

  test.each([
    [[], '--group is missing'],
    [['--group', ''], '--group is missing'],
    [['--group', 'g'], '--brokers is missing, and so is KAFKA_BROKERS'],
    [[...live, '--add', '0'], '--add: expected N or N=topic,…; got "0"'],
    [[...live, '--add', '1='], '--add: expected N or N=topic,…; got "1="'],
    [[...live, '--remove', ''], '--remove: expected the id of a member, or its beginning; got ""'],
    [[...live, '--partitions', 'a'], '--partitions: expected topic=N; got "a"'],
    [[...live, '--partitions', 'a=-1'], '--partitions: expected topic=N; got "a=-1"'],
    [
      [...live, '--strategy', 'best'],
      '--strategy must be one of sticky, cooperative-sticky, range, roundrobin, kafka-sticky; got "best"',
    ],
    [[...live, '--claims', 'x'], '--claims must be one of current, joined; got "x"'],
    [[...live, '--format', 'xml'], '--format must be one of text, json; got "xml"'],
    [['--replay', 'f', '--group', 'g'], '--replay asks no cluster: it goes without --group'],
    [['--replay', 'f', '--save', 'g'], '--replay asks no cluster: it goes without --save'],
  ])('wrong ones are named: %j', (args, message) => {
    expect(() => readFlags(args, {})).toThrow(UsageError)
    expect(() => readFlags(args, {})).toThrow(message)
  })

  test('unknown ones are refused by the parser', () => {
    expect(() => readFlags([...live, '--colour'], {})).toThrow("Unknown option '--colour'")
  })
})
