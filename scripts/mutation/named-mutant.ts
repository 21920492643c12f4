import { readFileSync } from 'node:fs'
import type { Mutant } from './mutant.ts'

/** A mutant that is written by hand: what it means, and the text that it changes. */
export type NamedMutant = Pick<Mutant, 'name' | 'file' | 'replace' | 'tests'> & {
  /** Occurs exactly once in the file. */
  readonly search: string
}

/** Finds the place of a mutant in today's source. */
export function locate({ search, ...mutant }: NamedMutant): Mutant {
  const parts = readFileSync(mutant.file, 'utf8').split(search)
  const [before] = parts
  if (before === undefined || parts.length !== 2) {
    throw new Error(
      `${mutant.name}: ${mutant.file} must contain ${JSON.stringify(search)} exactly once, not ${parts.length - 1} times`,
    )
  }
  return { ...mutant, start: before.length, end: before.length + search.length }
}
