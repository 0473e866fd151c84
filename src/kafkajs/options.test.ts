import { describe, expect, test } from '@jest/globals'
import pino from 'pino'
import { StickyAssignorError } from '../errors'
import { rangeAssignor, roundRobinAssignor, stickyAssignor } from './factories'
import { mergeOptions } from './options'

const factories = { stickyAssignor, rangeAssignor, roundRobinAssignor }

describe.each(Object.entries(factories))('%s', (name, create) => {
  test('accepts no options, undefined ones and every known one', () => {
    const callback = () => {}
    const all = {
      logger: pino({ enabled: false }),
      onRebalance: callback,
      onPartitionsRevoked: callback,
      onPartitionsAssigned: callback,
      onPartitionsLost: callback,
      rackId: 'r1',
      metrics: { rebalanced() {}, ended() {}, callbackFailed() {}, stormed() {} },
      stormWatch: { rebalances: 5 },
    }
    for (const options of [undefined, {}, all, { logger: undefined, rackId: undefined }])
      expect(typeof create(options)).toBe('function')
  })

  test.each([
    ['an unknown option', { onRebalanced: () => {} }, 'onRebalanced', /unknown option "onRebalanced".*onRebalance/],
    [
      'metrics that are none',
      { metrics: {} },
      'metrics',
      /"metrics" must be metrics as prometheusMetrics\(\) makes them/,
    ],
    [
      'limits that are none',
      { stormWatch: { moves: -1 } },
      'stormWatch',
      /"stormWatch" must be false, or an object of positive/,
    ],
    ['a list of limits', { stormWatch: [] }, 'stormWatch', /"stormWatch" must be false, or an object of positive/],
    ['no number', { rackId: Number.NaN }, 'rackId', /"rackId" must be a non-empty string, got number NaN/],
    ['the name of a built-in', { constructor: 1 }, 'constructor', /unknown option "constructor"/],
    ['no object', 'orders', 'options', /expected an object of options, got string "orders"/],
    ['null', null, 'options', /got null/],
    ['an array', [], 'options', /got an array/],
    ['a wrong type', { onRebalance: 'x' }, 'onRebalance', /"onRebalance" must be a function, got string "x"/],
    ['null for a value', { rackId: null }, 'rackId', /"rackId" must be a non-empty string, got null/],
    ['an empty name', { rackId: '' }, 'rackId', /"rackId" must be a non-empty string, got an empty string/],
    ['a logger without warn', { logger: { info() {}, error() {} } }, 'logger', /must be a logger in the shape of pino/],
  ])('refuses %s, naming the option and what would be right', (_, options, field, message) => {
    const call = () => create(options as never)
    expect(call).toThrow(StickyAssignorError)
    expect(call).toThrow(message)
    expect(call).toThrow(expect.objectContaining({ code: 'STICKY_ERR_INVALID_OPTION', field }))
    expect(call).toThrow(name)
  })
})

test('options of several assigners are merged, the first that sets one wins', () => {
  const first = { rackId: 'r1', onRebalance: undefined }
  const onRebalance = () => {}
  expect(mergeOptions(first, { rackId: 'r2', onRebalance })).toEqual({ rackId: 'r1', onRebalance })
})
