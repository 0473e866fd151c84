import { describe, expect, test } from '@jest/globals'
import { UsageError } from './command'
import { connectionSettings } from './connection-flags'

const file = __filename

describe('how to reach a cluster', () => {
  test('by flags', () => {
    const flags = {
      brokers: 'a:9093, b',
      ssl: true,
      'sasl-mechanism': 'SCRAM-SHA-512',
      'sasl-username': 'u',
      'sasl-password': 'p',
    }
    expect(connectionSettings({ ...flags, timeout: '500' }, {})).toEqual({
      brokers: ['a:9093', 'b:9092'],
      ssl: true,
      sasl: { mechanism: 'scram-sha-512', username: 'u', password: 'p' },
      timeoutMs: 500,
    })
  })

  test('by the environment, which flags override', () => {
    const env = {
      KAFKA_BROKERS: 'a:1',
      KAFKA_SSL_CA: file,
      KAFKA_SASL_MECHANISM: 'plain',
      KAFKA_SASL_USERNAME: 'u',
      KAFKA_SASL_PASSWORD: 'p',
      KAFKA_TIMEOUT: '7',
    }
    expect(connectionSettings({ brokers: 'b:2', 'sasl-username': 'other' }, env)).toEqual({
      brokers: ['b:2'],
      ssl: { ca: expect.stringContaining('how to reach a cluster') },
      sasl: { mechanism: 'plain', username: 'other', password: 'p' },
      timeoutMs: 7,
    })
  })

  test.each([
    ['true', true],
    ['1', true],
    ['false', undefined],
    ['', undefined],
  ])('KAFKA_SSL=%s', (value, ssl) => {
    expect(connectionSettings({}, { KAFKA_SSL: value }).ssl).toBe(ssl)
  })

  test('a client certificate comes with its key', () => {
    expect(connectionSettings({ 'ssl-cert': file, 'ssl-key': file }, {}).ssl).toEqual({
      cert: expect.any(String),
      key: expect.any(String),
    })
    expect(() => connectionSettings({ 'ssl-cert': file }, {})).toThrow('--ssl-cert and --ssl-key belong together')
  })

  test.each([
    [{ brokers: 'a:b' }, '--brokers: expected host:port, got "a:b"'],
    [{ brokers: 'a:65536' }, '--brokers: expected host:port, got "a:65536"'],
    [{ brokers: 'kafka://a:1' }, '--brokers: expected host:port, got "kafka://a:1"'],
    [{ 'ssl-ca': '/no/such/file' }, '--ssl-ca: cannot read /no/such/file: ENOENT'],
    [
      { 'sasl-username': 'u', 'sasl-password': 'p' },
      '--sasl-mechanism must be one of plain, scram-sha-256, scram-sha-512; got nothing',
    ],
    [{ 'sasl-mechanism': 'gssapi' }, '--sasl-mechanism must be one of plain, scram-sha-256, scram-sha-512; got gssapi'],
    [{ 'sasl-mechanism': 'plain', 'sasl-username': 'u' }, '--sasl-mechanism needs --sasl-username and --sasl-password'],
    [{ timeout: '0' }, '--timeout must be a number of milliseconds; got 0'],
    [{ timeout: '1s' }, '--timeout must be a number of milliseconds; got 1s'],
  ])('wrong flags are named: %j', (flags, message) => {
    expect(() => connectionSettings(flags, {})).toThrow(UsageError)
    expect(() => connectionSettings(flags, {})).toThrow(message)
  })
})
