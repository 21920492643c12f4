import type { z } from 'zod'

/** One environment variable: how it is parsed, its default as `--help` shows it, and its meaning. */
export type Setting<Schema extends z.ZodType = z.ZodType> = {
  readonly schema: Schema
  readonly shownDefault: string
  readonly meaning: string
}

export type SettingTable = Readonly<Record<string, Setting>>

/** The values that a table of settings parses to. */
export type SettingValues<Table extends SettingTable> = {
  readonly [Name in keyof Table]: z.output<Table[Name]['schema']>
}

/** Defines a setting. */
export function setting<Schema extends z.ZodType>(
  schema: Schema,
  shownDefault: string,
  meaning: string,
): Setting<Schema> {
  return { schema, shownDefault, meaning }
}
