import { payerFaultCauses } from '../../payment/payer-fault.ts'
import { listed, wordsOf } from './create-tables.ts'
import { forbid } from './create-triggers.ts'
import type { SqlDialect } from './schema.ts'

/** What a claim sums up: payments whose authorization may still take their value from the payer. */
export const inFlight = "status in ('settling', 'unknown')"

/**
 * An index over the payments in flight of each payer, in PostgreSQL the sum that locks them, and the
 * faults of payers. Payments that were never paid may be deleted.
 */
export function boundPayers(dialect: SqlDialect): readonly string[] {
  const index = `create index payment_in_flight on payment (payer, asset, chain_id, value)
    where ${inFlight}`
  const sums = dialect === 'sqlite' ? [] : [fitsInPostgres]
  return [index, ...sums, ...payerFaultTable(dialect), ...prunedPayments(dialect)]
}

/**
 * Claims of one payer wait for each other until they have committed. Each statement of a volatile
 * function sees what was committed before it, so the sum includes the claim it waited for.
 */
const fitsInPostgres = `create function farebox_fits(
    of_chain bigint, of_asset text, of_payer text, of_value bigint, balance bigint
  ) returns boolean language plpgsql volatile as $$
  begin
    perform pg_advisory_xact_lock(hashtextextended(of_payer, 0));
    return balance - of_value >= (select coalesce(sum(value), 0) from payment
      where chain_id = of_chain and asset = of_asset and payer = of_payer and ${inFlight});
  end $$`

function payerFaultTable(dialect: SqlDialect): readonly string[] {
  const { whole, strict } = wordsOf(dialect)
  return [
    `create table payer_fault (
      payment_id text not null references payment (id),
      subject text not null,
      cause text not null check (cause in (${listed(payerFaultCauses)})),
      expires_at ${whole} not null,
      primary key (payment_id, subject, cause, expires_at)
    ) ${strict}`,
    'create index payer_fault_subject on payer_fault (subject, expires_at)',
    'create index payer_fault_expiry on payer_fault (expires_at)',
  ]
}

/** Entries refer to their payment, so a payment with entries is kept in any status. */
function prunedPayments(dialect: SqlDialect): readonly string[] {
  const name = 'payment_is_kept'
  const kept = {
    name,
    table: 'payment',
    on: 'delete',
    when: "old.status <> 'void'",
    because: 'a row of payment is never deleted, unless it is void',
  }
  return [
    dialect === 'sqlite' ? `drop trigger ${name}` : `drop trigger ${name} on payment`,
    forbid(dialect, kept),
    "create index payment_void on payment (updated_at) where status = 'void'",
  ]
}
