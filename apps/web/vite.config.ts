import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { defineConfig, type Plugin } from 'vite'

/** Writes a compressed copy next to each script and style, so that no request pays for it. */
function compressed(folder: string): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    closeBundle() {
      for (const name of readdirSync(folder).filter((file) => /\.(js|css|svg)$/.test(file))) {
        const file = join(folder, name)
        writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }))
      }
    },
  }
}

/** The reference shows a logo from its maker's server. It is left out: pages load nothing from elsewhere. */
const withoutRemoteLogo: Plugin = {
  name: 'without-remote-logo',
  apply: 'build',
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type !== 'asset' || !file.fileName.includes('redoc')) continue
      const text = Buffer.from(file.source).toString('utf8')
      file.source = text.replace(/https:\/\/cdn\.redoc\.ly\/[\w/.-]+/g, 'data:,')
    }
  },
}

const outDir = join(import.meta.dirname, 'dist/site')

export default defineConfig({
  root: import.meta.dirname,
  // Addresses are relative to <base>, which the server sets.
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  resolve: { conditions: ['farebox-source', 'module', 'browser', 'production', 'import'] },
  build: {
    outDir,
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: ['index.html', 'docs.html'].map((page) => join(import.meta.dirname, page)),
      // One file for what several scripts share: each request of a visit counts toward the rate limit.
      output: {
        codeSplitting: { groups: [{ name: 'shared', minShareCount: 2 }] },
      },
    },
  },
  plugins: [withoutRemoteLogo, compressed(join(outDir, 'assets'))],
})
