import { describe, expect, test } from '@jest/globals'
import {
  KafkaJSConnectionError,
  KafkaJSNonRetriableError,
  KafkaJSNumberOfRetriesExceeded,
  type KafkaJSProtocolError,
} from 'kafkajs'
import { clusterError, connectionReason, failureOf, mayPass } from './failure'

const { createErrorFromCode } = require('kafkajs/src/protocol/error') as {
  createErrorFromCode: (code: number) => KafkaJSProtocolError
}
const { KafkaJSSASLAuthenticationError, KafkaJSConnectionClosedError } = require('kafkajs/src/errors')
const settings = { brokers: ['a:1'], timeoutMs: 1000 }
const told = (error: unknown) => {
  const { code, message } = clusterError(error, 'g', settings)
  return { code, message }
}

test("what kafkajs' retriers have wrapped is found again", () => {
  const inner = new KafkaJSConnectionError('Connection error: x', { broker: 'b:2', code: 'ECONNREFUSED' })
  const exceeded = new KafkaJSNumberOfRetriesExceeded(inner, { retryCount: 1, retryTime: 2 } as never)
  const outer = new (KafkaJSNonRetriableError as unknown as new (e: Error, o: object) => Error)(exceeded, {
    cause: exceeded,
  })
  expect(failureOf(outer)).toMatchObject({ name: 'KafkaJSConnectionError', broker: 'b:2', code: 'ECONNREFUSED' })
})

describe('errors for people', () => {
  test.each([
    [createErrorFromCode(30), 'STICKY_ERR_NO_PERMISSION', 'no permission to DESCRIBE group "g"'],
    [createErrorFromCode(29), 'STICKY_ERR_NO_PERMISSION', /\(TOPIC_AUTHORIZATION_FAILED\)$/],
    [createErrorFromCode(33), 'STICKY_ERR_AUTHENTICATION', /^the broker refuses to authenticate: /],
    [new KafkaJSSASLAuthenticationError('no'), 'STICKY_ERR_AUTHENTICATION', 'the broker refuses to authenticate: no'],
    [
      new KafkaJSConnectionError('Connection error: x', { broker: 'b:2', code: 'ENOTFOUND' }),
      'STICKY_ERR_UNREACHABLE',
      'broker b:2, as the cluster names it (advertised.listeners), cannot be reached: no such host',
    ],
    [
      new KafkaJSConnectionError('Connection error: x', { broker: 'a:1', code: 'ECONNREFUSED' }),
      'STICKY_ERR_UNREACHABLE',
      'broker a:1 cannot be reached: connection refused',
    ],
    [createErrorFromCode(35), 'STICKY_ERR_CLUSTER', /\(UNSUPPORTED_VERSION\)$/],
    [new TypeError('odd'), 'STICKY_ERR_CLUSTER', 'odd'],
    ['text', 'STICKY_ERR_CLUSTER', 'text'],
    [undefined, 'STICKY_ERR_CLUSTER', 'undefined'],
  ])('%s', (error, code, message) => {
    const { code: given, message: text } = told(error)
    expect(given).toBe(code)
    if (typeof message === 'string') expect(text).toBe(message)
    else expect(text).toMatch(message)
  })
})

test.each([
  [{ code: 'ECONNREFUSED' }, 'connection refused'],
  [{ message: 'Connection timeout' }, 'no answer'],
  [{ message: 'Connection error: something else' }, 'something else'],
  [
    { code: 'DEPTH_ZERO_SELF_SIGNED_CERT', message: 'self-signed certificate' },
    'its certificate is not accepted: self-signed certificate (DEPTH_ZERO_SELF_SIGNED_CERT)',
  ],
  [
    { code: 'ERR_TLS_CERT_ALTNAME_INVALID', message: 'altnames' },
    'its certificate is not accepted: altnames (ERR_TLS_CERT_ALTNAME_INVALID)',
  ],
  [
    { code: 'ERR_SSL_WRONG_VERSION_NUMBER' },
    'no TLS connection (ERR_SSL_WRONG_VERSION_NUMBER): does this port speak TLS?',
  ],
])('why there is no connection: %j', (error, reason) => {
  expect(connectionReason(failureOf(Object.assign(new Error(''), error)), true)).toBe(reason)
})

test('a connection that is closed at once hints at what the port may want', () => {
  const failure = failureOf(new KafkaJSConnectionClosedError('Closed connection', { host: 'a', port: 1 }))
  expect(connectionReason(failure, false)).toBe('it closed the connection: does this port want TLS or SASL?')
  expect(connectionReason(failure, true)).toBe('it closed the connection: does this port want SASL?')
})

test('only what a change of brokers explains is tried again', () => {
  const codes = [5, 14, 15, 16, 3, 29, 30, 35]
  expect(codes.filter(code => mayPass(createErrorFromCode(code)))).toEqual([5, 14, 15, 16])
  expect(mayPass(new KafkaJSConnectionClosedError('x', { host: 'a', port: 1 }))).toBe(true)
  expect(mayPass(new TypeError('x'))).toBe(false)
})
