import { misspellings } from './misspellings.ts'
import type { SettingTable } from './setting.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The settings that have no effect or not the intended one, one sentence each: misspelled names, and
 * values in quotes or white space.
 */
export function settingWarnings(table: SettingTable, environment: Environment): readonly string[] {
  return [
    ...misspellings(table, environment),
    ...quotedValues(table, environment),
    ...paddedValues(table, environment),
  ]
}

/** `docker run --env-file` and `kubectl` keep quotes, as a part of a path or a key. */
function quotedValues(table: SettingTable, environment: Environment): readonly string[] {
  return Object.keys(table)
    .filter((name) => /^(["']).*\1$/s.test(environment[name] ?? ''))
    .map((name) => `The value of ${name} is in quotes, and they count. Remove them.`)
}

/** A path with a space at its end is another path: a ledger there would be a new one. */
function paddedValues(table: SettingTable, environment: Environment): readonly string[] {
  return Object.keys(table)
    .filter((name) => /^\s|\s$/.test(environment[name] ?? ''))
    .map(
      (name) =>
        `The value of ${name} begins or ends with white space, and it counts. Remove it; if the value is in a file, save the file without Windows line ends.`,
    )
}
