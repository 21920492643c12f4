import { closest, distance } from 'fastest-levenshtein'
import { fileNameOf } from './read-setting-files.ts'
import type { SettingTable } from './setting.ts'

/** Short names are close to names that have nothing to do with them: HOME is not a HOST. */
const minNameLength = 8
const maxEdits = 2
const byteOrderMark = '\uFEFF'

/**
 * The variables of an environment that no setting has, but whose names differ from one by at most two
 * characters, or in lower case: most likely misspelled, and without effect. One sentence each. A file
 * that begins with a byte order mark has it in its first name.
 */
export function misspellings(
  table: SettingTable,
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const known = Object.keys(table).flatMap((name) => [name, fileNameOf(name)])
  const marked = known.filter((name) => `${byteOrderMark}${name}` in environment)
  const others = Object.keys(environment)
    .filter((name) => !name.startsWith(byteOrderMark))
    .filter((name) => name.length >= minNameLength && !known.includes(name))
    .map((name) => ({ name, upper: name.toUpperCase() }))
    .map(({ name, upper }) => ({ name, upper, meant: closest(upper, known) }))
    .filter(({ upper, meant }) => !(meant in environment) && distance(upper, meant) <= maxEdits)
    .map(({ name, meant }) => `${name} is not a setting and has no effect. Did you mean ${meant}?`)
  return [...marked.map(markProblem), ...others]
}

function markProblem(name: string): string {
  return `${name} has no effect: a byte order mark is before it. Save its file as UTF-8 without one.`
}
