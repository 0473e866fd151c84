/** How to reach a cluster. */
export interface ClusterSettings {
  /** `host:port`, at least one. */
  readonly brokers: readonly string[]
  /** TLS: true for the authorities that Node trusts, or PEM texts. */
  readonly ssl?: true | TlsSettings
  readonly sasl?: SaslSettings
  /** Milliseconds that everything together may take: connecting and reading. */
  readonly timeoutMs: number
}

export interface TlsSettings {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
}

export interface SaslSettings {
  readonly mechanism: SaslMechanism
  readonly username: string
  readonly password: string
}

export const saslMechanisms = ['plain', 'scram-sha-256', 'scram-sha-512'] as const
export type SaslMechanism = (typeof saslMechanisms)[number]
