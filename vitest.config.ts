import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { LongestFirst } from './scripts/testing/longest-first.ts'

/**
 * Packages are tested from their sources; nothing needs to be built. `import` is not a condition: Node
 * would use it for `require` too, and a CommonJS package would get an ES module.
 */
const conditions = ['farebox-source', 'module', 'node', 'default']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['{packages,apps}/*/test/**/*.test.ts', '{examples,scripts}/test/**/*.test.ts'],
    // `npm test -- --all` sets the variable.
    exclude: [
      ...configDefaults.exclude,
      ...(process.env['TEST_ALL'] === undefined ? ['**/*.slow.test.ts'] : []),
    ],
    globalSetup: ['scripts/testing/temporary-folder.ts'],
    // Processes, not threads: native add-ons, and servers that end with their process.
    pool: 'forks',
    // A worker keeps the modules that it has loaded: there are no mocks, and loading costs as much
    // processor time as the tests.
    isolate: false,
    // Many tests wait for a block or a deadline; meanwhile other files have the core.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: LongestFirst },
    // A test without an assertion cannot fail.
    // Limits for what hangs, not for what is slow: a busy machine takes seconds to start a process.
    expect: { requireAssertions: true, poll: { timeout: 60_000 } },
    testTimeout: 300_000,
    hookTimeout: 300_000,
    coverage: {
      provider: 'v8',
      include: ['{packages,apps}/*/src/**/*.ts'],
      exclude: ['**/*.gen.ts'],
    },
  },
})
