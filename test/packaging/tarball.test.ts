/**
 * The package as its users get it: `npm pack`, installed by npm into an empty project, used from CommonJS, from an ES
 * module and from TypeScript; and what publint and "are the types wrong" say of it.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'

jest.setTimeout(180_000)

const root = join(__dirname, '../..')
const bin = (name: string) => join(root, 'node_modules', name)

let directory: string
let app: string
let tarball: string
let files: string[]
/** Bytes of everything but maps and pages. */
let librarySize = 0

/** Runs a program and returns what it prints; its whole output is in the error when it fails. */
function run(command: string, args: string[], cwd: string): string {
  try {
    return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(`${command} ${args.join(' ')}\n${stdout}\n${stderr}`)
  }
}

function node(file: string, source: string): string {
  writeFileSync(join(app, file), source)
  return run(process.execPath, [file], app)
}

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'tarball-'))
  app = join(directory, 'app')
  mkdirSync(app)
  const [packed] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', directory], root))
  tarball = join(directory, packed.filename)
  files = packed.files.map(({ path }: { path: string }) => path)
  for (const { path, size } of packed.files) if (!/\.map$|^lab\//.test(path)) librarySize += size
  writeFileSync(join(app, 'package.json'), '{"name":"app","private":true}')
  // Offline: it has no dependency to fetch, and its one required peer is ours.
  const install = ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', '--install-links']
  run('npm', [...install, tarball, join(root, 'node_modules/kafkajs')], app)
})

afterAll(() => rmSync(directory, { recursive: true, force: true }))

test('holds what is built, the licence and the readme, and neither sources nor tests', () => {
  expect(files).toEqual(
    expect.arrayContaining([
      'package.json',
      'LICENSE',
      'CHANGELOG.md',
      'dist/index.js',
      'dist/index.d.ts',
      'lab/dist/index.html',
      'lab/dist/live.html',
    ]),
  )
  expect(
    files.filter(
      file => !/^(dist\/|lab\/dist\/(index|live)\.html$|package\.json|README\.md|CHANGELOG\.md|LICENSE)/.test(file),
    ),
  ).toEqual([])
  expect(files.filter(file => /\.test\.|testing\/|tsbuildinfo/.test(file))).toEqual([])
})

test('is no larger than it has to be, and has types for what can be imported only', () => {
  expect(librarySize).toBeLessThan(500_000)
  expect(files.filter(file => /^dist\/(cli|cluster|protocol|scenario)\/.*\.d\.ts$/.test(file))).toEqual([])
  expect(files.filter(file => /^dist\/kafkajs\/cooperative\/.*\.d\.ts$/.test(file)).sort()).toEqual(
    ['choices', 'cooperative-assigner', 'options'].map(name => `dist/kafkajs/cooperative/${name}.d.ts`),
  )
})

test('has stack traces that lead to the source', () => {
  const trace = run(
    process.execPath,
    [
      '--enable-source-maps',
      '-e',
      `try { require('kafkajs-sticky-assignor').stickyAssignor({ colour: 1 }) } catch (error) { console.log(error.stack) }`,
    ],
    app,
  )
  const line = readFileSync(join(root, 'src/option-checks.ts'), 'utf8')
    .split('\n')
    .findIndex(text => text.includes('unknown option'))
  expect(trace).toMatch(new RegExp(`at validateAgainst \\(.*src/option-checks\\.ts:${line + 1}:\\d+\\)`))
})

test('brings nothing along', () => {
  const installed = readdirSync(join(app, 'node_modules')).filter(name => !name.startsWith('.'))
  expect(installed.sort()).toEqual(['kafkajs', 'kafkajs-sticky-assignor'])
})

describe.each(['kafkajs-sticky-assignor', 'kafkajs-sticky-assignor/planner', 'kafkajs-sticky-assignor/metrics'])(
  '%s',
  entry => {
    test('gives the same names to require and to import', () => {
      const required = node('names.cjs', `console.log(JSON.stringify(Object.keys(require('${entry}')).sort()))`)
      const imported = node(
        'names.mjs',
        `import * as all from '${entry}'
       console.log(JSON.stringify(Object.keys(all).filter(name => !['default', 'module.exports', '__esModule'].includes(name)).sort()))`,
      )
      expect(JSON.parse(imported)).toEqual(JSON.parse(required))
    })

    test.each([
      { module: 'Node16', moduleResolution: 'Node16', type: 'commonjs' },
      { module: 'NodeNext', moduleResolution: 'NodeNext', type: 'module' },
      { module: 'ESNext', moduleResolution: 'Bundler', type: 'module' },
      // Knows no "exports". What TypeScript before 6 does for module CommonJS, and so in many a NestJS project.
      { module: 'CommonJS', moduleResolution: 'Node10', type: 'commonjs', ignoreDeprecations: '6.0' },
    ])('has types for module $module resolved as $moduleResolution', ({ type, ...resolution }) => {
      const { moduleResolution } = resolution
      const project = join(app, `${moduleResolution}-${entry.replace(/\W/g, '-')}`)
      mkdirSync(project)
      writeFileSync(join(project, 'package.json'), JSON.stringify({ type }))
      writeFileSync(
        join(project, 'use.ts'),
        `import * as all from '${entry}'\nexport const names: string[] = Object.keys(all)\n`,
      )
      // kafkajs' own types ask for those of node too, so a project that uses them has them.
      const typeRoots = [join(root, 'node_modules/@types')]
      const compilerOptions = {
        ...resolution,
        target: 'ES2022',
        strict: true,
        noEmit: true,
        types: [],
        typeRoots,
      }
      writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use.ts'] }))
      run(process.execPath, [bin('typescript/bin/tsc'), '-p', project], project)
    })
  },
)

test('the command plans and compares', () => {
  const command = join(app, 'node_modules/.bin/kafkajs-sticky-assignor')
  const ask = (args: string[], input: string) => execFileSync(command, args, { cwd: app, encoding: 'utf8', input })
  const request = '{"strategy":"sticky","topics":{"t":1},"members":[{"memberId":"a","topics":["t"]}]}'
  const answers = ask(['plan', '--jsonl'], `${request}\nnonsense\n${request}\n`).trimEnd().split('\n')
  const planned = { assignment: { a: { t: [0] } }, moved: 1 }
  const broken = { error: { code: 'STICKY_ERR_INVALID_REQUEST' } }
  expect(answers.map(line => JSON.parse(line))).toMatchObject([planned, broken, planned])
  expect(ask(['compare', '--topics', 't=4', '--consumers', '1,2'], '')).toContain('c2 joins; 2 consumers, 4 partitions')
})

test('publint finds nothing', () => {
  expect(run(process.execPath, [bin('publint/src/cli.js'), tarball, '--strict'], directory)).toContain('All good!')
})

test('attw finds no wrong types', () => {
  // It ends with an error when it finds a problem.
  const report = run(
    process.execPath,
    [bin('@arethetypeswrong/cli/dist/index.js'), tarball, '--format', 'ascii'],
    directory,
  )
  expect(report).toContain('bundler: 🟢')
})
