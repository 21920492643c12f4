import { forbid } from './create-triggers.ts'
import type { SqlDialect } from './schema.ts'

/**
 * Triggers for rules of channels that a constraint on one row cannot express: terms are fixed, charges
 * only grow, and a voucher pays for another call only if the one before it cost nothing.
 */
export function channelTriggers(dialect: SqlDialect): readonly string[] {
  return [...rules.map((rule) => forbid(dialect, rule)), ...freeOnlyAtNoCost(dialect)]
}

const terms = [
  'id',
  'chain_id',
  'payer',
  'payer_authorizer',
  'receiver',
  'receiver_authorizer',
  'token',
  'withdraw_delay',
  'salt',
  'created_at',
]
const logged = [
  'kind',
  'chain_id',
  'channel_id',
  'amount',
  'proof_transaction',
  'proof_block',
  'proof_block_hash',
  'proof_log_index',
  'at',
]

const rules: readonly Parameters<typeof forbid>[1][] = [
  {
    name: 'payment_kind_is_agreed',
    table: 'payment',
    on: 'update of kind, channel_id',
    when: anyDiffers(['kind', 'channel_id']),
    because: 'what was claimed does not change',
  },
  {
    name: 'channel_is_agreed',
    table: 'channel',
    on: `update of ${terms.join(', ')}`,
    when: anyDiffers(terms),
    because: 'the terms of a channel do not change',
  },
  {
    name: 'channel_charges_grow',
    table: 'channel',
    on: 'update of charged',
    when: 'new.charged < old.charged',
    because: 'what a channel was charged never falls',
  },
  {
    name: 'channel_is_kept',
    table: 'channel',
    on: 'delete',
    when: "old.status <> 'opening'",
    because: 'a row of channel is never deleted, unless it never had a deposit',
  },
  {
    name: 'channel_use_is_agreed',
    table: 'channel_use',
    on: 'update',
    when: `${anyDiffers(['channel_seq', 'max'])} or new.published < old.published
      or (old.free = 0 and ${anyDiffers(['payment_id', 'signature'])})`,
    because: 'a voucher pays for the call that it was used for',
  },
  {
    name: 'channel_movement_is_agreed',
    table: 'channel_movement',
    on: 'update',
    when: `${anyDiffers(logged)} or new.lost < old.lost`,
    because: 'what a log proved does not change',
  },
  {
    name: 'channel_entry_is_append_only',
    table: 'channel_entry',
    on: 'update',
    because: 'a row of channel_entry is never changed',
  },
  ...['channel_use', 'channel_movement', 'channel_entry'].map((table) => ({
    name: `${table}_is_kept`,
    table,
    on: 'delete',
    because: `a row of ${table} is never deleted`,
  })),
]

function anyDiffers(columns: readonly string[]): string {
  const differences = columns.map((column) => `old.${column} is distinct from new.${column}`)
  return `(${differences.join(' or ')})`
}

const frees = 'new.free = 1 and old.free = 0'
const hadNoCost = 'exists (select 1 from payment where id = old.payment_id and cost = 0)'
const wasPaid = 'the voucher of a call is free only if it cost nothing'

function freeOnlyAtNoCost(dialect: SqlDialect): readonly string[] {
  if (dialect === 'sqlite') {
    return [
      `create trigger channel_use_is_paid before update of free on channel_use
        when ${frees} and not ${hadNoCost} begin select raise(abort, '${wasPaid}'); end`,
    ]
  }
  return [
    `create function farebox_channel_use_is_paid() returns trigger language plpgsql as $$
      begin
        if not ${hadNoCost} then
          raise exception '${wasPaid}' using errcode = 'check_violation';
        end if;
        return new;
      end $$`,
    `create trigger channel_use_is_paid before update of free on channel_use for each row
      when (${frees}) execute function farebox_channel_use_is_paid()`,
  ]
}
