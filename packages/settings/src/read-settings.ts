import { namesIn } from './names-in.ts'
import type { SettingTable, SettingValues } from './setting.ts'

/** The values, or all their problems, one sentence each. */
export type ReadSettings<Table extends SettingTable> =
  | { readonly status: 'valid'; readonly values: SettingValues<Table> }
  | { readonly status: 'invalid'; readonly problems: readonly string[] }

/**
 * Parses a table of settings from an environment. An empty variable counts as unset. `contradictions`
 * returns the problems between values that are each valid alone; it runs even if some values are
 * invalid, with defaults in their place, so that all problems are reported at once. What names an
 * invalid value is left out: it would judge the default.
 */
export function readSettings<Table extends SettingTable>(
  table: Table,
  environment: Readonly<Record<string, string | undefined>>,
  contradictions: (values: SettingValues<Table>) => readonly string[] = () => [],
): ReadSettings<Table> {
  const read = readEach(table, environment)
  if (read.status === 'valid') {
    const problems = contradictions(read.values)
    return problems.length === 0 ? read : { status: 'invalid', problems }
  }
  const isReported = (name: string): boolean =>
    read.problems.some((text) => text.startsWith(`${name} `))
  const good = Object.entries(environment).filter(([name]) => !isReported(name))
  const rest = readEach(table, Object.fromEntries(good))
  const more = rest.status === 'valid' ? contradictions(rest.values) : []
  const news = more.filter((text) => !namesIn(text).some(isReported))
  return { status: 'invalid', problems: [...read.problems, ...news] }
}

function readEach<Table extends SettingTable>(
  table: Table,
  environment: Readonly<Record<string, string | undefined>>,
): ReadSettings<Table> {
  const results = Object.entries(table).map(([name, { schema }]) => {
    const text = environment[name]
    return { name, result: schema.safeParse(text === '' ? undefined : text) }
  })
  const problems = results.flatMap(({ name, result }) =>
    (result.error?.issues ?? []).map(({ message }) => `${name} ${message}.`),
  )
  if (problems.length > 0) return { status: 'invalid', problems }
  const values = Object.fromEntries(results.map(({ name, result }) => [name, result.data]))
  return { status: 'valid', values: values as SettingValues<Table> }
}
