import { closest, distance } from 'fastest-levenshtein'
import { fileNameOf } from './read-setting-files.ts'
import type { SettingTable } from './setting.ts'

/** Short names are close to names that have nothing to do with them: HOME is not a HOST. */
const minNameLength = 8
const maxEdits = 2
const unit = /_(?:USDC|BPS|SECONDS|MINUTES)$/
const byteOrderMark = '\uFEFF'

/**
 * The variables of an environment that no setting has, but whose names differ from one by at most two
 * characters, in lower case, or by a unit that they lack: most likely misspelled, and without effect. One
 * sentence each. A file that begins with a byte order mark has it in its first name.
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
    .map((name) => ({ name, meant: nearest(name.toUpperCase(), known) }))
    .filter(({ meant }) => meant !== undefined && !(meant in environment))
    .map(({ name, meant }) => `${name} is not a setting and has no effect. Did you mean ${meant}?`)
  return [...marked.map(markProblem), ...others]
}

function nearest(name: string, known: readonly string[]): string | undefined {
  const withUnit = known.find((other) => other.replace(unit, '') === name)
  if (withUnit !== undefined) return withUnit
  const meant = closest(name, known)
  return distance(name, meant) <= maxEdits ? meant : undefined
}

function markProblem(name: string): string {
  return `${name} has no effect: a byte order mark is before it. Save its file as UTF-8 without one.`
}
