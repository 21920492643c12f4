import type { Suite } from './suite.ts'

/** Every suite, in the order in which they run. */
export const suites: readonly Suite[] = []
