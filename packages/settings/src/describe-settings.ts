import type { SettingTable } from './setting.ts'

/** A table of settings as `--help` prints it. */
export function describeSettings(table: SettingTable): string {
  const width = Math.max(...Object.keys(table).map((name) => name.length))
  return Object.entries(table)
    .map(
      ([name, { shownDefault, meaning }]) =>
        `  ${name.padEnd(width)} ${meaning} (default: ${shownDefault})`,
    )
    .join('\n')
}
