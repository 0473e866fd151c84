// Runs a TypeScript program of ours on any supported node, by bundling it first; packages stay outside the bundle.
import { mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { root } from './run.mjs'

/**
 * Bundles `entry` and calls the `main(argv)` that it exports. Resolves to the exit status; 1 with a plain message where
 * no Kafka can run.
 */
export async function runMain(entry, argv) {
  const { build } = await import('esbuild')
  const directory = join(root, '.cache/scripts')
  mkdirSync(directory, { recursive: true })
  const outfile = join(directory, `${entry.replace(/\.ts$/, '').replaceAll('/', '-')}.cjs`)
  await build({
    entryPoints: [join(root, entry)],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    sourcemap: 'inline',
    logLevel: 'warning',
  })
  process.setSourceMapsEnabled(true)
  try {
    return await createRequire(outfile)(outfile).main(argv)
  } catch (error) {
    console.error(error?.name === 'KafkaUnavailable' ? error.message : error)
    return 1
  }
}
