import { type Kysely, sql } from 'kysely'
import { refundIsPending } from './operator-reports.ts'
import type { SqlDialect } from './schema.ts'

/**
 * Where a rule has `in` with more than two words, SQLite builds a table of them each time it checks
 * a row. Comparisons admit the same rows at a fraction of the cost, and no row has to be read: only
 * the text of the rules changes, as in https://sqlite.org/lang_altertable.html#otheralter. SQLite
 * permits that to a connection in unsafe mode.
 */
export async function compareWords<Database>(
  db: Kysely<Database>,
  dialect: SqlDialect,
): Promise<void> {
  if (dialect === 'sqlite') await rewriteRules(db)
  // A large ledger takes longer than a statement may take otherwise.
  else await sql`set local statement_timeout = 0`.execute(db)
  await sql`drop index refund_transfer_pending`.execute(db)
  await sql`create index refund_transfer_pending on refund_transfer (status, created_at, amount)
    where ${sql.raw(refundIsPending)}`.execute(db)
}

async function rewriteRules<Database>(db: Kysely<Database>): Promise<void> {
  const { rows } = await sql<{ readonly name: string; readonly rules: string }>`
    select name, sql as rules from sqlite_master where type in ('table', 'trigger')
    and sql is not null`.execute(db)
  await sql`pragma writable_schema = on`.execute(db)
  for (const { name, rules } of rows) {
    await sql`update sqlite_master set sql = ${compared(rules)} where name = ${name}`.execute(db)
  }
  // Reads the schema again; a rule that SQLite cannot parse fails the migration.
  await sql`pragma writable_schema = reset`.execute(db)
}

/** More than two words: up to two, SQLite compares one by one anyway. */
const anyOf = /[\w.]+ (?:not )?in \(\s*(?:'\w+'(?:,\s*'\w+'){2,})\s*\)/g

function compared(rules: string): string {
  return rules.replaceAll(anyOf, (list) => {
    const [column = ''] = list.split(' ', 1)
    const isExcluded = list.startsWith(`${column} not`)
    const words = list.match(/'\w+'/g) ?? []
    const comparisons = words.map((word) => `${column} ${isExcluded ? '<>' : '='} ${word}`)
    return `(${comparisons.join(isExcluded ? ' and ' : ' or ')})`
  })
}
