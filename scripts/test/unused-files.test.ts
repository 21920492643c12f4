import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { unusedFiles } from '../packages/unused-files.ts'

const built: Readonly<Record<string, string>> = {
  'dist/index.js':
    "export * from './chunk-NEW.js'\nconst run = async () => await import('./sub/door.js')",
  'dist/index.js.map': '{}',
  'dist/index.d.ts': "export { Shared } from './shared-NEW.js'",
  'dist/shared-NEW.d.ts': 'export type Shared = string',
  'dist/chunk-NEW.js': "new Worker(new URL('./worker.js', import.meta.url))",
  'dist/worker.js': "import '../assets/table.bin'",
  'dist/sub/door.js': "import '../deep.js'",
  'dist/deep.js': '',
  'dist/main.js': '',
  'dist/main.d.ts': '',
  'assets/table.bin': '',
  'README.md': '',
}

test('a file of dist that no entry point leads to is unused', () => {
  const stale = {
    'dist/chunk-OLD.js': "import './deep.js'",
    'dist/chunk-OLD.js.map': '{}',
    'dist/shared-OLD.d.ts': 'export type Shared = number',
  }
  const folder = mkdtempSync(join(tmpdir(), 'farebox-unused-'))
  const files = { ...built, ...stale }
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  const doors = {
    bin: { tool: './dist/main.js' },
    exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
  }
  expect(unusedFiles({ folder, files: Object.keys(files), doors })).toEqual(Object.keys(stale))
})
