import { wordsOf } from './create-tables.ts'
import type { SqlDialect } from './schema.ts'

/**
 * What the relayer paid for each transaction, and the sums of each day, which grow with it; and the
 * revenue of the hours of a day that is not over.
 */
export function gasByTransaction(dialect: SqlDialect): readonly string[] {
  const { whole, strict } = wordsOf(dialect)
  return [
    `create table gas_paid (
      chain_id ${whole} not null,
      sender text not null,
      nonce ${whole} not null,
      transaction_hash text not null,
      purpose text not null,
      succeeded ${whole} not null check (succeeded in (0, 1)),
      gas ${whole} not null check (gas >= 0),
      fee ${whole} not null check (fee >= 0),
      at ${whole} not null,
      primary key (chain_id, sender, nonce)
    ) ${strict}`,
    'create index gas_paid_transaction on gas_paid (transaction_hash)',
    // A sum in wei could exceed 64 bits, so it is kept in two parts: whole gwei, and the remaining wei.
    `create table daily_gas (
      day ${whole} not null,
      chain_id ${whole} not null,
      sender text not null,
      purpose text not null,
      transactions ${whole} not null,
      reverted ${whole} not null,
      gas ${whole} not null,
      gwei ${whole} not null,
      wei ${whole} not null,
      first_nonce ${whole} not null,
      last_nonce ${whole} not null,
      primary key (day, chain_id, sender, purpose)
    ) ${strict}`,
    `create table hourly_revenue (
      hour ${whole} not null,
      model text not null,
      payments ${whole} not null,
      revenue ${whole} not null,
      provider_cost ${whole} not null,
      unknown_costs ${whole} not null,
      primary key (hour, model)
    ) ${strict}`,
  ]
}
