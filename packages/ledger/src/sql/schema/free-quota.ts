import { wordsOf } from './create-tables.ts'
import type { SqlDialect } from './schema.ts'

/** The free quota used by each address, in all (under the empty address), and by model. */
export function freeQuota(dialect: SqlDialect): readonly string[] {
  const { whole, strict } = wordsOf(dialect)
  return [
    `create table free_quota (
      day ${whole} not null,
      address text not null,
      used ${whole} not null check (used >= 0),
      primary key (day, address)
    ) ${strict}`,
    `create table free_use (
      day ${whole} not null,
      model text not null,
      calls ${whole} not null,
      cost ${whole} not null,
      provider_cost ${whole} not null,
      primary key (day, model)
    ) ${strict}`,
  ]
}
