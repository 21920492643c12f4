import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { LedgerDatabase, SqlDialect } from '../schema/schema.ts'
import { compiled, place, type Query } from './query.ts'
import { insertInto } from './wide-statements.ts'

const gasColumns = [
  'chain_id',
  'sender',
  'nonce',
  'transaction_hash',
  'purpose',
  'succeeded',
  'gas',
  'fee',
  'at',
]
const dayColumns = [
  'day',
  'chain_id',
  'sender',
  'purpose',
  'transactions',
  'reverted',
  'gas',
  'gwei',
  'wei',
  'first_nonce',
  'last_nonce',
]

type Name = 'insertGas' | 'lockGas' | 'replaceGas' | 'addToGasDay' | 'gasByDay' | 'gasOf'

export function gasQueries(
  db: Kysely<LedgerDatabase>,
  dialect: SqlDialect,
): Readonly<Record<Name, Query>> {
  const lock = sql.raw(dialect === 'postgres' ? ' for update' : '')
  const ofNonce = sql`chain_id = ${place('chain_id')} and sender = ${place('sender')}
    and nonce = ${place('nonce')}`
  const changed = ['transaction_hash', 'purpose', 'succeeded', 'gas', 'fee', 'at']
  return {
    insertGas: compiled(
      'insertGas',
      sql`${insertInto('gas_paid', gasColumns)} on conflict do nothing`.compile(db),
    ),
    lockGas: compiled('lockGas', sql`select * from gas_paid where ${ofNonce}${lock}`.compile(db)),
    replaceGas: compiled(
      'replaceGas',
      sql`update gas_paid set ${sql.join(
        changed.map((name) => sql`${sql.ref(name)} = ${place(name)}`),
      )} where ${ofNonce}`.compile(db),
    ),
    addToGasDay: compiled('addToGasDay', addToGasDay.compile(db)),
    gasByDay: compiled(
      'gasByDay',
      sql`select * from daily_gas where day >= ${place('from')} and day < ${place('to')}
        order by day, purpose, sender`.compile(db),
    ),
    gasOf: compiled(
      'gasOf',
      sql`select * from gas_paid where transaction_hash = ${place('transaction')}
        order by at desc limit 1`.compile(db),
    ),
  }
}

const addToGasDay = sql`${insertInto('daily_gas', dayColumns)}
  on conflict (day, chain_id, sender, purpose) do update set
    ${sql.join(['transactions', 'reverted', 'gas', 'gwei', 'wei'].map(plus))},
    first_nonce = case when excluded.first_nonce < daily_gas.first_nonce
      then excluded.first_nonce else daily_gas.first_nonce end,
    last_nonce = case when excluded.last_nonce > daily_gas.last_nonce
      then excluded.last_nonce else daily_gas.last_nonce end`

function plus(name: string): RawBuilder<unknown> {
  const column = sql.ref(name)
  return sql`${column} = daily_gas.${column} + excluded.${column}`
}
