/** One dangerous change of a source, and the tests that must notice it. */
export type Mutant = {
  readonly name: string
  /** A path from the root of the repository. */
  readonly file: string
  /** The change: `replace` takes the place of the text from `start` to `end`. */
  readonly start: number
  readonly end: number
  readonly replace: string
  /** What vitest is asked to run: parts of the paths of test files. The first ones notice the most. */
  readonly tests: readonly [string, ...string[]]
}

/** A source with the change of a mutant. */
export function mutated(
  source: string,
  { start, end, replace }: Pick<Mutant, 'start' | 'end' | 'replace'>,
): string {
  return source.slice(0, start) + replace + source.slice(end)
}

/** The package or app that a mutant belongs to: `packages/payments`. */
export function packageOf({ file }: Pick<Mutant, 'file'>): string {
  return file.split('/').slice(0, 2).join('/')
}
