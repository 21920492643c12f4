import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { expect, test } from 'vitest'

test('the client is below 60 KB for a browser with everything that it imports, and below 25 KB compressed', async () => {
  const { metafile, outputFiles } = await build({
    stdin: {
      contents: `export { createFareboxClient } from './src/index.ts'`,
      resolveDir: fileURLToPath(new URL('..', import.meta.url)),
    },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    platform: 'browser',
    format: 'esm',
    conditions: ['farebox-source'],
  })
  const inputs = Object.keys(metafile.inputs).join('\n')
  expect(inputs).toContain('create-farebox-client.ts')
  expect(inputs).not.toMatch(/node_modules\/(zod|viem|@x402|commander)\//)
  const bundled = outputFiles[0]?.contents ?? new Uint8Array()
  expect(bundled.length).toBeLessThan(60_000)
  expect(gzipSync(bundled).length).toBeLessThan(25_000)
})
