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

/** The entry points of vocabularies, and the table that each fetches. */
export const vocabularyDoors = {
  o200k_base: 'o200k_base',
  o200k_harmony: 'o200k_base',
  cl100k_base: 'cl100k_base',
  p50k_base: 'p50k_base',
  r50k_base: 'r50k_base',
  qwen: 'qwen',
  deepseek: 'deepseek',
  tekken: 'tekken',
} as const
