import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { expect, test } from 'vitest'

const resolveDir = fileURLToPath(new URL('../..', import.meta.url))

const asPublished: Plugin = {
  name: 'as-published',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^published$/ }, ({ path }) => ({ path, namespace: 'published' }))
    onLoad({ filter: /./, namespace: 'published' }, () => ({ contents: published, resolveDir }))
  },
}

/** One file, as in the package: a bundler can leave out its parts, but not whole files of it. */
const published = await textOf(`export * from './src/index.ts'`)

async function textOf(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir },
    bundle: true,
    write: false,
    packages: 'external',
    format: 'esm',
    conditions: ['farebox-source'],
    plugins: [asPublished],
  })
  return outputFiles[0]?.text ?? ''
}

test('a bundle has the snapshot only if it imports it', async () => {
  expect(await textOf(`export { shippedCatalog } from 'published'`)).toContain('GLM 5V Turbo')
  expect(await textOf(`export { createCatalog } from 'published'`)).not.toContain('GLM 5V Turbo')
})
