import { gzipSync } from 'node:zlib'

const script = /<script type="module"[^>]*>([\s\S]*?)<\/script>/

// Runs in the page. What it unpacks is the script as the build left it, and runs as an ordinary module.
const unpack = `(async () => {
  const packed = Uint8Array.from(atob(document.querySelector('#script').text), c => c.charCodeAt(0))
  const text = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))
  const script = document.createElement('script')
  script.type = 'module'
  script.text = await new Response(text).text()
  document.head.append(script)
})().catch(error => document.body.append('This browser cannot open the page: ' + error))`

/** A page with its one script compressed: nine tenths of it, most of that the planner. */
export function compressed(page) {
  const code = script.exec(page)?.[1]
  if (!code) throw new Error('the page has no script to compress')
  const packed = gzipSync(code, { level: 9 }).toString('base64')
  return page.replace(
    script,
    () => `<script type="text/plain" id="script">${packed}</script>\n<script>${unpack}</script>`,
  )
}
