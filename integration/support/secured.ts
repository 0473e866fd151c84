/** A broker that wants TLS and a password. Its certificate is a file of this machine: for processes, not containers. */
import { spawnSync } from 'node:child_process'

/** Without the JDK's keytool there is nothing to make a certificate with. */
export const keytoolMissing = spawnSync('keytool', ['-help']).error !== undefined

/** A key pair in a keystore, and its self-signed certificate. */
export function makeCertificate(store: string, pem: string): void {
  const keytool = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('keytool', [...args, '-keystore', store, '-storepass', 'changeit'])
    if (status !== 0) throw new Error(`keytool ${args[0]}: ${stdout}${stderr}`)
  }
  const names = ['-dname', 'CN=127.0.0.1', '-ext', 'SAN=IP:127.0.0.1']
  keytool('-genkeypair', '-alias', 'broker', '-keyalg', 'EC', '-storetype', 'PKCS12', '-validity', '2', ...names)
  keytool('-exportcert', '-rfc', '-alias', 'broker', '-file', pem)
}

/** SASL PLAIN over TLS for these users; `admin` must be one. The listener for clients is called PLAINTEXT all the same. */
export function securedProperties(store: string, passwords: Record<string, string>): Record<string, string> {
  const users = Object.entries(passwords).map(([user, password]) => `user_${user}="${password}"`)
  return {
    'listener.security.protocol.map': 'PLAINTEXT:SASL_SSL,CONTROLLER:PLAINTEXT',
    'sasl.enabled.mechanisms': 'PLAIN',
    'sasl.mechanism.inter.broker.protocol': 'PLAIN',
    'listener.name.plaintext.plain.sasl.jaas.config': `org.apache.kafka.common.security.plain.PlainLoginModule required username="admin" password="${passwords.admin}" ${users.join(' ')};`,
    'ssl.keystore.type': 'PKCS12',
    'ssl.keystore.location': store,
    'ssl.keystore.password': 'changeit',
    'ssl.key.password': 'changeit',
    'ssl.truststore.type': 'PKCS12',
    'ssl.truststore.location': store,
    'ssl.truststore.password': 'changeit',
  }
}
