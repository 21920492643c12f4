import { readFileSync } from 'node:fs'
import { mostSimilar } from './most-similar.ts'
import type { Mutant } from './mutant.ts'

/** A mutant that is written by hand: what it means, and the text that it changes. */
export type NamedMutant = Pick<Mutant, 'name' | 'file' | 'replace' | 'tests'> & {
  /** Occurs exactly once in the file. */
  readonly search: string
}

/**
 * Finds the places of mutants in today's sources.
 *
 * @throws {Error} that lists each one whose text is not in its file exactly once, with the line that is
 * most like it.
 */
export function locateAll(mutants: readonly NamedMutant[]): readonly Mutant[] {
  const places = mutants.map((mutant) => ({ mutant, ...placeOf(mutant) }))
  const lost = places.flatMap(({ mutant, problem }) =>
    problem === null ? [] : describe(mutant, problem),
  )
  if (lost.length > 0) {
    throw new Error(
      `Correct "search" in scripts/mutation/*-mutants.ts, or delete a mutant whose line is gone:\n${lost.join('\n')}`,
    )
  }
  return places.map(({ mutant: { search, ...mutant }, start }) => ({
    ...mutant,
    start,
    end: start + search.length,
  }))
}

type Place = { readonly start: number; readonly problem: string | null }

function placeOf({ file, search }: NamedMutant): Place {
  const source = readFileSync(file, 'utf8')
  const [before = '', ...others] = source.split(search)
  if (others.length === 1) return { start: before.length, problem: null }
  const problem =
    others.length > 1
      ? `is there ${others.length} times`
      : `is not there; ${nearestLine(source, search)}`
  return { start: 0, problem }
}

function nearestLine(source: string, search: string): string {
  const lines = source.split('\n')
  const nearest = mostSimilar(search, lines) ?? ''
  return `line ${lines.indexOf(nearest) + 1} is\n    ${nearest.trim()}`
}

function describe({ name, file, search }: NamedMutant, problem: string): string {
  return `- ${name}\n    ${file}:\n    ${JSON.stringify(search)} ${problem}`
}
