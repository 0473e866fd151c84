// Compiles src to dist: what Node runs, what TypeScript reads of the entry points, and maps. `tsc` compiles each file by
// itself, esbuild takes its comments and white space away. Names stay, so that stack traces can be read; with
// `node --enable-source-maps` they lead to the line of the source. Says how large the library is.
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transformSync } from 'esbuild'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const dist = join(root, 'dist')
/** Bytes of the library as it is unpacked, without the page and the maps. */
const bound = 465_000
const filesIn = extension =>
  readdirSync(dist, { recursive: true })
    .filter(file => file.endsWith(extension))
    .map(file => join(dist, file))

// First, so that no file of an older layout is packed.
rmSync(dist, { recursive: true, force: true })
const tsc = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
})
if (tsc.status !== 0) process.exit(tsc.status ?? 1)
for (const file of filesIn('.js')) shrink(file)
keepDeclarationsOf(['index', 'planner-entry', 'metrics-entry'])
chmodSync(join(dist, 'cli/main.js'), 0o755)
report()

/** Takes the map of tsc in, and writes one beside the file that leads to the source. */
function shrink(file) {
  const { code, map } = transformSync(readFileSync(file, 'utf8'), {
    loader: 'js',
    target: 'node20',
    // Not the syntax: Node finds the names for `import` in what tsc writes, letter by letter.
    minifyWhitespace: true,
    legalComments: 'none',
    sourcemap: 'external',
    sourcefile: file,
  })
  const name = relative(dirname(file), `${file}.map`)
  writeFileSync(file, `${code}//# sourceMappingURL=${name}\n`)
  writeFileSync(`${file}.map`, map)
}

/** Removes the declarations that those of the entry points do not lead to: nobody can import them. */
function keepDeclarationsOf(entries) {
  const reached = new Set()
  const visit = file => {
    if (reached.has(file)) return
    reached.add(file)
    for (const [, path] of readFileSync(file, 'utf8').matchAll(/(?:from |import\()'(\.[^']+)'/g)) {
      const target = join(dirname(file), path)
      visit(existsSync(`${target}.d.ts`) ? `${target}.d.ts` : join(target, 'index.d.ts'))
    }
  }
  for (const entry of entries) visit(join(dist, `${entry}.d.ts`))
  for (const file of filesIn('.d.ts')) if (!reached.has(file)) rmSync(file)
}

function report() {
  const sizes = files => files.reduce((sum, file) => sum + statSync(file).size, 0)
  const kB = bytes => `${(bytes / 1000).toFixed(1)} kB`
  const [code, types] = [sizes(filesIn('.js')), sizes(filesIn('.d.ts'))]
  const rest = sizes(['package.json', 'README.md', 'CHANGELOG.md', 'LICENSE'].map(file => join(root, file)))
  const total = code + types + rest
  console.log(
    `library: ${kB(total)} unpacked (code ${kB(code)}, types ${kB(types)}, readme and so on ${kB(rest)}), at most ${kB(bound)}`,
  )
  if (total > bound) {
    console.error('the library is too large')
    process.exitCode = 1
  }
}
