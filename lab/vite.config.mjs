import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import { viteSingleFile } from 'vite-plugin-singlefile'

export default defineConfig({
  root: dirname(fileURLToPath(import.meta.url)),
  plugins: [viteSingleFile({ removeViteModuleLoader: true })],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: { modulePreload: false, outDir: 'dist', emptyOutDir: false, target: 'es2022', reportCompressedSize: false },
})
