/**
 * The peers, built into .cache/: kafka-clients from Maven Central with a small Java program, franz-go from the Go
 * module proxy with a small Go program. Each is optional; a missing one comes back with its reason.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const here = dirname(fileURLToPath(import.meta.url))
const cache = join(here, '../../.cache/bench')
const copyDependencies = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies'

/** @returns {Promise<{command: string[], version: string} | {missing: string}>} */
export async function javaPeer() {
  const source = join(here, 'java')
  const jars = join(cache, `jars-${contentKey(source, '.xml')}`)
  const classes = join(cache, `classes-${contentKey(source, '.java', '.xml')}`)
  try {
    await once(jars, aside =>
      run('mvn', ['-B', '-q', '-f', join(source, 'pom.xml'), copyDependencies, `-DoutputDirectory=${aside}`]),
    )
    await once(classes, aside =>
      run('javac', ['-cp', `${jars}/*`, '-d', aside, ...filesIn(source, '.java').map(name => join(source, name))]),
    )
    const { stderr } = await run('java', ['-version'])
    const command = ['java', '-Xms1g', '-Xmx6g', '-cp', [`${jars}/*`, classes].join(delimiter), 'PlannerPeer']
    return { command, version: `kafka-clients ${kafkaVersion(jars)}, Java ${/version "([^"]+)"/.exec(stderr)?.[1]}` }
  } catch (error) {
    return { missing: because(error, 'it needs a JDK (17 or newer) and Maven') }
  }
}

/** @returns {Promise<{command: string[], version: string} | {missing: string}>} */
export async function goPeer() {
  const source = join(here, 'go')
  const directory = join(cache, `go-${contentKey(source, '.go', '.mod', '.sum')}`)
  const program = join(directory, 'planner-peer')
  try {
    await once(directory, aside => run('go', ['build', '-o', join(aside, 'planner-peer'), '.'], { cwd: source }))
    const { stdout } = await run('go', ['version', '-m', program])
    const franz = /franz-go\t(v[\d.]+)/.exec(stdout)?.[1]
    return { command: [program], version: `franz-go ${franz?.slice(1)}, Go ${/: go([\d.]+)/.exec(stdout)?.[1]}` }
  } catch (error) {
    return { missing: because(error, 'it needs Go') }
  }
}

function because(error, need) {
  if (error.code === 'ENOENT') return `${error.path} was not found: ${need}`
  return String(error.stderr || error.stdout || error.message)
    .trim()
    .slice(0, 500)
}

const filesIn = (directory, ...endings) =>
  readdirSync(directory)
    .filter(name => endings.some(ending => name.endsWith(ending)))
    .sort()

function contentKey(directory, ...endings) {
  const hash = createHash('sha256')
  for (const name of filesIn(directory, ...endings)) hash.update(name).update(readFileSync(join(directory, name)))
  return hash.digest('hex').slice(0, 12)
}

const kafkaVersion = jars => /kafka-clients-([\d.]+)\.jar/.exec(readdirSync(jars).join(' '))?.[1]

/** Builds aside and renames, so that an interrupted build leaves nothing that looks finished. */
async function once(directory, build) {
  if (existsSync(directory)) return
  const aside = `${directory}.${process.pid}`
  mkdirSync(aside, { recursive: true })
  try {
    await build(aside)
    renameSync(aside, directory)
  } finally {
    rmSync(aside, { recursive: true, force: true })
  }
}
