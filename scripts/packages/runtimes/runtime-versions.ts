/** The last release of each Node that is supported, and of the other runtimes; all install by npm. */
export const runtimeVersions: readonly string[] = [
  'node-20@npm:node@20.20.2',
  'node-22@npm:node@22.23.3',
  'node-24@npm:node@24.21.0',
  'bun@1.4.4',
  'deno@2.9.6',
  'workerd@1.20261110.1',
  'esbuild@0.28.2',
  'viem@2',
]

/** Its program, below `node_modules`. */
export function nodeOf(major: number): string {
  return `node-${major}/bin/node`
}
