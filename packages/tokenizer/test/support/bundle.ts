import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

/** Bundles an entry point of this package for a browser; fails on a module of Node. */
export async function bundle(door: string, exported: string): Promise<Bundle> {
  const { outputFiles } = await build({
    stdin: {
      contents: `export { ${exported} } from '@farebox/tokenizer${door}'`,
      resolveDir: fileURLToPath(new URL('../..', import.meta.url)),
    },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    conditions: ['farebox-source', 'browser'],
    logLevel: 'silent',
  })
  const code = outputFiles[0]?.contents ?? new Uint8Array()
  return { bytes: code.length, compressed: gzipSync(code).length }
}

/** The minified size, and that compressed by gzip. */
export type Bundle = { readonly bytes: number; readonly compressed: number }

/** An import as the README names it, and the table that it fetches. */
export type BundledImport = {
  readonly name: string
  readonly door: string
  readonly exported: string
  readonly table?: string
}

/** The rows of the README's table of what a browser downloads. */
export const bundledImports: readonly BundledImport[] = [
  { name: '`createTokenizer`', door: '', exported: 'createTokenizer' },
  {
    name: '`countChatTokens`, `createCounter`',
    door: '',
    exported: 'countChatTokens, createCounter',
  },
  { name: '`countImageTokens`', door: '', exported: 'countImageTokens' },
  { name: '`/web`: `fetchTokenizer`', door: '/web', exported: 'fetchTokenizer' },
  vocabulary('o200k_base'),
  vocabulary('o200k_harmony', 'o200k_base'),
  vocabulary('cl100k_base'),
  vocabulary('p50k_base'),
  vocabulary('r50k_base'),
  vocabulary('qwen'),
  vocabulary('deepseek'),
  vocabulary('tekken'),
]

function vocabulary(name: string, table: string = name): BundledImport {
  return { name: `\`/${name}\``, door: `/${name}`, exported: 'countTokens', table }
}
