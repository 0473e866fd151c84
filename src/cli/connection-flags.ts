import { readFileSync } from 'node:fs'
import { type ClusterSettings, type SaslMechanism, saslMechanisms, type TlsSettings } from '../cluster'
import { UsageError } from './command'

/** Flags of every command that reads a live cluster, for node:util's parseArgs. */
export const connectionFlags = {
  brokers: { type: 'string' },
  ssl: { type: 'boolean' },
  'ssl-ca': { type: 'string' },
  'ssl-cert': { type: 'string' },
  'ssl-key': { type: 'string' },
  'sasl-mechanism': { type: 'string' },
  'sasl-username': { type: 'string' },
  'sasl-password': { type: 'string' },
  timeout: { type: 'string' },
} as const

export const connectionHelp = `Connection (in brackets the environment variable for those that are not given):
  --brokers host:port,…     brokers to ask first [KAFKA_BROKERS]
  --ssl                     TLS [KAFKA_SSL=true]
  --ssl-ca FILE             PEM of the authority that signed the brokers' certificates [KAFKA_SSL_CA]
  --ssl-cert FILE           PEM of the client's certificate [KAFKA_SSL_CERT]
  --ssl-key FILE            PEM of its key [KAFKA_SSL_KEY]
  --sasl-mechanism NAME     ${saslMechanisms.join(', ')} [KAFKA_SASL_MECHANISM]
  --sasl-username NAME      [KAFKA_SASL_USERNAME]
  --sasl-password SECRET    better by the environment: other users can see a command line [KAFKA_SASL_PASSWORD]
  --timeout MS              for everything together; 10000 unless given
`

type Values = { readonly [flag in keyof typeof connectionFlags]?: string | boolean | undefined }

/** Throws UsageError, naming the flag or the variable. */
export function connectionSettings(values: Values, env: NodeJS.ProcessEnv): ClusterSettings {
  const given = new Given(values, env)
  const brokers = (given.text('brokers') ?? '').split(',').map(broker => broker.trim())
  const ssl = tls(given)
  const sasl = saslOf(given)
  return {
    brokers: brokers.filter(broker => broker !== '').map(withPort),
    ...(ssl ? { ssl } : {}),
    ...(sasl ? { sasl } : {}),
    timeoutMs: timeout(given.text('timeout')),
  }
}

/** A flag, or the environment variable of its name. */
class Given {
  constructor(
    private readonly values: Values,
    private readonly env: NodeJS.ProcessEnv,
  ) {}

  text(flag: keyof Values): string | undefined {
    const value = this.values[flag]
    return typeof value === 'string' ? value : this.env[variable(flag)] || undefined
  }

  switch(flag: keyof Values): boolean {
    return this.values[flag] === true || /^(1|true|yes|on)$/i.test(this.env[variable(flag)] ?? '')
  }

  file(flag: keyof Values): string | undefined {
    const path = this.text(flag)
    if (path === undefined) return undefined
    try {
      return readFileSync(path, 'utf8')
    } catch (error) {
      throw new UsageError(`--${flag}: cannot read ${path}: ${(error as Error).message}`)
    }
  }
}

const variable = (flag: string) => `KAFKA_${flag.toUpperCase().replaceAll('-', '_')}`

function withPort(broker: string): string {
  const [, host, port = '9092'] = /^([^\s:/]+)(?::(\d{1,5}))?$/.exec(broker) ?? []
  if (host === undefined || Number(port) > 65_535) {
    throw new UsageError(`--brokers: expected host:port, got ${JSON.stringify(broker)}`)
  }
  return `${host}:${port}`
}

function tls(given: Given): true | TlsSettings | undefined {
  const ca = given.file('ssl-ca')
  const cert = given.file('ssl-cert')
  const key = given.file('ssl-key')
  if ((cert === undefined) !== (key === undefined)) throw new UsageError('--ssl-cert and --ssl-key belong together')
  if (ca === undefined && cert === undefined) return given.switch('ssl') ? true : undefined
  return { ...(ca === undefined ? {} : { ca }), ...(cert === undefined || key === undefined ? {} : { cert, key }) }
}

function saslOf(given: Given): ClusterSettings['sasl'] {
  const mechanism = given.text('sasl-mechanism')?.toLowerCase()
  const username = given.text('sasl-username')
  const password = given.text('sasl-password')
  if (mechanism === undefined && username === undefined && password === undefined) return undefined
  if (mechanism === undefined || !saslMechanisms.includes(mechanism as SaslMechanism)) {
    throw new UsageError(`--sasl-mechanism must be one of ${saslMechanisms.join(', ')}; got ${mechanism ?? 'nothing'}`)
  }
  if (username === undefined || password === undefined) {
    throw new UsageError('--sasl-mechanism needs --sasl-username and --sasl-password')
  }
  return { mechanism: mechanism as SaslMechanism, username, password }
}

function timeout(text = '10000'): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new UsageError(`--timeout must be a number of milliseconds; got ${text}`)
  return Number(text)
}
