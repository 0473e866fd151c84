import { Writable } from 'node:stream'
import { expect, test } from '@jest/globals'
import { Kafka, logLevel } from 'kafkajs'
import pino from 'pino'
import { createPinoLogCreator } from './pino-log-creator'

function capture(level = 'trace') {
  const lines: Record<string, unknown>[] = []
  const stream = new Writable({
    write(chunk, _, done) {
      lines.push(JSON.parse(String(chunk)))
      done()
    },
  })
  return { lines, logger: pino({ level, base: null, timestamp: false }, stream) }
}

test.each([[undefined], [{}], [{ info() {}, warn() {}, error() {} }]])(
  'refuses %j, which is no logger of pino',
  logger => {
    const call = () => createPinoLogCreator(logger as never)
    expect(call).toThrow(expect.objectContaining({ code: 'STICKY_ERR_INVALID_OPTION', field: 'pino' }))
    expect(call).toThrow(/^createPinoLogCreator: expected a logger of pino, got (undefined|an object)$/)
  },
)

test('sends kafkajs’ lines to pino, level by level, fields as fields', () => {
  const { lines, logger } = capture()
  const kafka = new Kafka({ brokers: ['x:1'], logLevel: logLevel.DEBUG, logCreator: createPinoLogCreator(logger) })
  const log = kafka.logger().namespace('Somewhere')
  log.error('an error', { error: new TypeError('boom'), groupId: 'g' })
  log.warn('a warning', { error: 'only text' })
  log.info('news', { payload: { nested: [1] } })
  log.debug('details')
  expect(lines).toEqual([
    {
      level: 50,
      namespace: 'Somewhere',
      logger: 'kafkajs',
      groupId: 'g',
      err: { type: 'TypeError', message: 'boom', stack: expect.any(String) },
      msg: 'an error',
    },
    { level: 40, namespace: 'Somewhere', logger: 'kafkajs', error: 'only text', msg: 'a warning' },
    { level: 30, namespace: 'Somewhere', logger: 'kafkajs', payload: { nested: [1] }, msg: 'news' },
    { level: 20, namespace: 'Somewhere', logger: 'kafkajs', msg: 'details' },
  ])
})

test('both levels apply: kafkajs’ and pino’s', () => {
  const { lines, logger } = capture('warn')
  const kafka = new Kafka({ brokers: ['x:1'], logLevel: logLevel.ERROR, logCreator: createPinoLogCreator(logger) })
  kafka.logger().warn('below kafkajs’ level')
  const verbose = new Kafka({ brokers: ['x:1'], logLevel: logLevel.DEBUG, logCreator: createPinoLogCreator(logger) })
  verbose.logger().info('below pino’s level')
  verbose.logger().warn('said')
  expect(lines.map(({ msg }) => msg)).toEqual(['said'])
})
