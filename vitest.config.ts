import { defineConfig } from 'vitest/config'

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
    // Processes, not threads: native add-ons, and servers that end with their process.
    pool: 'forks',
    // A test without an assertion cannot fail.
    expect: { requireAssertions: true },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    coverage: {
      provider: 'v8',
      include: ['{packages,apps}/*/src/**/*.ts'],
      exclude: ['**/*.gen.ts'],
    },
  },
})
