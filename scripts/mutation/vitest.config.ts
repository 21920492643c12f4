import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import process from 'node:process'
import { defineConfig, mergeConfig } from 'vitest/config'
import tests from '../../vitest.config.ts'
import { type Mutant, mutated } from './mutant.ts'

const mutant: Mutant = JSON.parse(process.env['FAREBOX_MUTANT'] ?? 'null')
const root = resolve(import.meta.dirname, '../..')

function isMutated(id: string): boolean {
  return id === resolve(root, mutant.file)
}

/** The tests of the repository, with one source changed in memory. */
export default mergeConfig(
  tests,
  defineConfig({
    root,
    plugins: [
      {
        name: 'mutant',
        enforce: 'pre',
        load: (id: string) =>
          isMutated(id) ? mutated(readFileSync(id, 'utf8'), mutant) : undefined,
        // The modules on disk are cached by their content there.
        configureVitest: ({ defineCacheKeyGenerator }) => {
          defineCacheKeyGenerator(({ id }) => (isMutated(id) ? false : undefined))
        },
      },
    ],
    test: { maxWorkers: 2 },
  }),
)
