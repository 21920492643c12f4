import { defineConfig, type Options } from 'tsup'

const shared: Options = {
  format: ['esm'],
  target: 'node22',
  clean: true,
  sourcemap: true,
  splitting: true,
  // Never bundle other packages: an undeclared dependency must fail instead of being hidden.
  skipNodeModulesBundle: true,
}

/** A published package: ES modules with declarations, one per entry point of its `exports`. */
export function library(entry: string[], options: Options = {}): ReturnType<typeof defineConfig> {
  return defineConfig({ ...shared, dts: true, entry, ...options })
}

/** An app: ES modules that Node starts directly. */
export function program(entry: string[], options: Options = {}): ReturnType<typeof defineConfig> {
  return defineConfig({ ...shared, dts: false, entry, ...options })
}
