import type { SqlDialect } from './schema.ts'

/** A change that the database refuses from every client. */
type ForbiddenChange = {
  readonly name: string
  readonly table: string
  readonly on: string
  /** The condition under which it is refused; always by default. */
  readonly when?: string
  readonly because: string
}

/** The trigger of one rule; a later migration may replace it. */
export function forbid(dialect: SqlDialect, change: ForbiddenChange): string {
  return dialect === 'sqlite' ? inSqlite(change) : inPostgres(change)
}

/**
 * Triggers for rules that a constraint on one row cannot express: entries and dispatches are
 * append-only, terms and refund amounts are fixed, and a served payment stays served.
 */
export function createTriggers(dialect: SqlDialect): readonly string[] {
  switch (dialect) {
    case 'sqlite':
      return [...forbiddenChanges.map(inSqlite), ...sumOfRefunds(dialect, 'payout', sumIsWrong)]
    case 'postgres':
      return [
        refuseInPostgres,
        ...forbiddenChanges.map(inPostgres),
        ...sumOfRefunds(dialect, 'payout', sumIsWrong),
      ]
  }
}

const agreed = [
  'id',
  'network',
  'chain_id',
  'asset',
  'payer',
  'pay_to',
  'value',
  'nonce',
  'valid_after',
  'valid_before',
  'request_digest',
  'created_at',
]
const fixedOnce = ['cost', 'refund_amount', 'refund_nonce']
const frozen = ['nonce', 'chain_id', 'asset', 'payer', 'amount', 'sequence', 'created_at']

/** What is fixed when a refund transfer is created. */
export const fixedOfRefundTransfer: Pick<ForbiddenChange, 'on' | 'when'> = {
  on: `update of ${frozen.join(', ')}`,
  when: frozen.map(differs).join(' or '),
}

const forbiddenChanges: readonly ForbiddenChange[] = [
  ...['entry', 'dispatch'].map((table) => ({
    name: `${table}_is_append_only`,
    table,
    on: 'update',
    because: `a row of ${table} is never changed`,
  })),
  ...['entry', 'dispatch', 'payment', 'payout'].map((table) => ({
    name: `${table}_is_kept`,
    table,
    on: 'delete',
    because: `a row of ${table} is never deleted`,
  })),
  {
    name: 'payment_is_agreed',
    table: 'payment',
    on: `update of ${agreed.join(', ')}`,
    when: agreed.map(differs).join(' or '),
    because: 'what was claimed does not change',
  },
  {
    name: 'payment_is_reconciled_once',
    table: 'payment',
    on: `update of ${fixedOnce.join(', ')}`,
    when: fixedOnce
      .map((column) => `(old.${column} is not null and ${differs(column)})`)
      .join(' or '),
    because: 'cost, refund and its nonce are fixed once',
  },
  {
    name: 'payment_is_served_once',
    table: 'payment',
    on: 'update of status',
    when: `old.status in ('serving', 'completed', 'failed') and new.status <> old.status
      and not (old.status = 'serving' and new.status in ('completed', 'failed'))`,
    because: 'a payment that was served or ended stays so',
  },
  {
    name: 'payout_is_frozen',
    table: 'payout',
    ...fixedOfRefundTransfer,
    because: 'nonce, payee and amount of a payout do not change',
  },
]

function differs(column: string): string {
  return `old.${column} is distinct from new.${column}`
}

function inSqlite({ name, table, on, when = '1', because }: ForbiddenChange): string {
  return `create trigger ${name} before ${on} on ${table} when ${when}
    begin select raise(abort, '${because}'); end`
}

const refuseInPostgres = `create function farebox_refuse() returns trigger language plpgsql as $$
  begin raise exception '%', tg_argv[0] using errcode = 'check_violation'; end $$`

function inPostgres({ name, table, on, when = 'true', because }: ForbiddenChange): string {
  return `create trigger ${name} before ${on} on ${table} for each row when (${when})
    execute function farebox_refuse('${because}')`
}

const sumIsWrong = 'a payout is the sum of its refunds'

/** A refund transfer is signed only if its amount is the sum of its refunds. */
export function sumOfRefunds(
  dialect: SqlDialect,
  table: string,
  because: string,
): readonly string[] {
  const sum = 'select sum(refund_amount) from payment where refund_nonce = new.nonce'
  const name = `${table}_is_the_sum`
  if (dialect === 'sqlite') {
    return [
      `create trigger ${name} before update of status on ${table}
  when new.status = 'signed' and (${sum}) is distinct from new.amount
  begin select raise(abort, '${because}'); end`,
    ]
  }
  return [
    `create function farebox_${name}() returns trigger language plpgsql as $$
    begin
      if (${sum}) is distinct from new.amount then
        raise exception '${because}' using errcode = 'check_violation';
      end if;
      return new;
    end $$`,
    `create trigger ${name} before update of status on ${table} for each row
    when (new.status = 'signed') execute function farebox_${name}()`,
  ]
}
