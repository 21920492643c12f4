import type { SettingTable } from './setting.ts'

/** A table of settings as `--help` prints it. */
export function describeSettings(table: SettingTable): string {
  return Object.entries(table)
    .map(
      ([name, { shownDefault, meaning }]) =>
        `  ${name.padEnd(30)} ${meaning} (default: ${shownDefault})`,
    )
    .join('\n')
}
