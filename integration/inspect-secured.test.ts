/** `inspect` on a broker that wants TLS, a password, and permissions: what works, and what is said where it does not. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Admin, type Consumer, Kafka, type KafkaConfig, logLevel } from 'kafkajs'
import type { Report } from '../src/cli/inspect/report'
import { type RunningKafka, startKafka } from './support/kafka'
import { root } from './support/root'
import { keytoolMissing, makeCertificate, securedProperties } from './support/secured'
import { createTopics } from './support/topics'
import { until } from './support/wait'

const groupId = 'secured'
const passwords = { admin: 'admin-pw', operator: 'operator-pw', half: 'half-pw', nobody: 'nobody-pw' }
type User = keyof typeof passwords

const aclProperties = {
  'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
  // The controller's listener is plain, and knows no names.
  'super.users': 'User:admin;User:ANONYMOUS',
}

const secured = keytoolMissing ? describe.skip : describe

secured(`a broker with TLS, SASL and ACLs${keytoolMissing ? ' (no keytool to make its certificate)' : ''}`, () => {
  let folder: string
  let ca: string
  let kafka: RunningKafka
  let admin: Admin
  let consumer: Consumer

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'secured-'))
    ca = join(folder, 'ca.pem')
    const store = join(folder, 'broker.p12')
    makeCertificate(store, ca)
    kafka = await startKafka(
      { properties: { ...securedProperties(store, passwords), ...aclProperties } },
      { kind: 'process', why: 'its files are on this machine' },
    )
    admin = clientOf('admin').admin()
    await admin.connect()
    await createTopics(admin, { orders: 4, audit: 2 })
    await allowToDescribe('operator', ['GROUP', groupId], ['TOPIC', 'orders'], ['TOPIC', 'audit'])
    await allowToDescribe('half', ['GROUP', groupId])
    const { stickyAssignor } = require(root) as typeof import('../src')
    consumer = clientOf('admin').consumer({ groupId, partitionAssigners: [stickyAssignor()] })
    await consumer.connect()
    await consumer.subscribe({ topics: ['orders', 'audit'] })
    await consumer.run({ eachMessage: async () => {} })
    await until('that the group is stable', async () => {
      return (await admin.describeGroups([groupId])).groups[0]?.state === 'Stable'
    })
  })
  afterAll(async () => {
    await consumer?.disconnect()
    await admin?.disconnect()
    await kafka?.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  function clientOf(user: User): Kafka {
    const sasl: KafkaConfig['sasl'] = { mechanism: 'plain', username: user, password: passwords[user] }
    const ssl = { ca: [readFileSync(ca, 'utf8')] }
    return new Kafka({ clientId: 'secured', brokers: kafka.brokers, ssl, sasl, logLevel: logLevel.NOTHING })
  }

  /** ACLs as kafkajs' admin sets them; waits until the broker knows them. */
  async function allowToDescribe(user: User, ...resources: ['GROUP' | 'TOPIC', string][]): Promise<void> {
    const acl = resources.map(([type, resourceName]) => ({
      resourceType: { TOPIC: 2, GROUP: 3 }[type],
      resourceName,
      resourcePatternType: 3,
      principal: `User:${user}`,
      host: '*',
      operation: 8,
      permissionType: 3,
    }))
    await admin.createAcls({ acl })
    const filter = { ...acl[0]!, resourceName: groupId, resourceType: 3 }
    await until('that the ACLs are known', async () => (await admin.describeAcls(filter)).resources.length > 0)
  }

  /** As somebody would who keeps the password out of the command line. */
  function inspectAs(user: User, changes: NodeJS.ProcessEnv = {}, ...flags: string[]) {
    const env = {
      ...process.env,
      KAFKA_BROKERS: kafka.brokers.join(','),
      KAFKA_SSL_CA: ca,
      KAFKA_SASL_MECHANISM: 'PLAIN',
      KAFKA_SASL_USERNAME: user,
      KAFKA_SASL_PASSWORD: passwords[user],
      ...changes,
    }
    const command = [join(root, 'dist/cli/main.js'), 'inspect', '--group', groupId, ...flags]
    return new Promise<{ status: number; stdout: string; stderr: string }>(resolve => {
      execFile(process.execPath, command, { env }, (error, stdout, stderr) =>
        resolve({ status: error ? Number(error.code) : 0, stdout, stderr }),
      )
    })
  }

  test('an operator who may DESCRIBE group and topics sees everything, credentials from the environment', async () => {
    const { status, stdout } = await inspectAs('operator', {}, '--format', 'json', '--add', '1')
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      group: {
        topics: { audit: 2, orders: 4 },
        members: [{ assigned: { audit: [0, 1], orders: [0, 1, 2, 3] } }],
        notes: [],
      },
      whatIf: { answer: { moved: 3 } },
    })
  })

  test('and by flags', async () => {
    const none = { KAFKA_SSL_CA: '', KAFKA_SASL_MECHANISM: '', KAFKA_SASL_USERNAME: '', KAFKA_SASL_PASSWORD: '' }
    const sasl = ['--sasl-mechanism', 'plain', '--sasl-username', 'operator', '--sasl-password', passwords.operator]
    expect(await inspectAs('operator', none, '--ssl-ca', ca, ...sasl)).toMatchObject({ status: 0, stderr: '' })
  })

  test('who may DESCRIBE the group only is told what could not be read', async () => {
    const { status, stdout } = await inspectAs('half', {}, '--format', 'json')
    expect(status).toBe(0)
    const { group } = JSON.parse(stdout) as Report
    // As far as the assignments tell.
    expect(group!.topics).toEqual({ audit: 2, orders: 4 })
    expect(group!.lag).toBeNull()
    expect(group!.notes).toContain(
      'topic orders: TOPIC_AUTHORIZATION_FAILED; its partition count is taken from the assignments',
    )
  })

  test.each<[string, User, NodeJS.ProcessEnv, RegExp]>([
    ['no permission', 'nobody', {}, /no permission to DESCRIBE group "secured"/],
    ['a wrong password', 'operator', { KAFKA_SASL_PASSWORD: 'guess' }, /refuses to authenticate/],
    [
      'a mechanism that it does not have',
      'operator',
      { KAFKA_SASL_MECHANISM: 'scram-sha-256' },
      /refuses to authenticate: The broker does not support the requested SASL mechanism/,
    ],
    ['no TLS', 'operator', { KAFKA_SSL_CA: '' }, /closed the connection: does this port want TLS or SASL\?/],
    [
      'an authority that is not known',
      'operator',
      { KAFKA_SSL_CA: '', KAFKA_SSL: 'true' },
      /its certificate is not accepted: self.signed certificate/,
    ],
  ])('%s is said in one line, with exit status 1', async (_, user, env, message) => {
    const { status, stdout, stderr } = await inspectAs(user, env)
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toMatch(message)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  })
})
