import { atomicUsdc } from '@farebox/money'
import { expect, test } from 'vitest'
import {
  applyToChannel,
  channelErrors,
  channelEvents,
  channelId,
  ended,
  held,
  newChannel,
  newDeposit,
  opened,
} from '../../src/conformance/channels/channel-fixtures.ts'
import {
  applyRefundEvents,
  completed,
  exported,
  refundNonce,
  settled,
  start,
  withRefundDue,
} from '../../src/conformance/fixtures.ts'
import type { LeaseRequest, LedgerError, LedgerStore, OnCorruptRow } from '../../src/index.ts'
import type { SqlTestLedger } from './test-ledgers.ts'

export type ConstraintTestLedger = SqlTestLedger & {
  readonly execute: (sql: string) => Promise<void>
}

/** Changes that the database itself refuses from any client, since its first version. */
export const refusedBefore: readonly (readonly [string, string])[] = [
  [
    'a second claim of an authorization',
    copyOfPayment({ id: "'pay_ffffffffffffffffffffffffffffffff'" }),
  ],
  [
    'an authorization that is not in canonical form',
    copyOfPayment({
      id: "'pay_ffffffffffffffffffffffffffffffff'",
      nonce: "'0xABC' || substr(nonce, 6)",
    }),
  ],
  ['a cost above what was paid', 'update payment set cost = value + 1 where cost is null'],
  ['a negative cost', 'update payment set cost = -1 where cost is null'],
  [
    'a completed payment whose cost and refund do not add up',
    `update payment set status = 'completed', cost = 1`,
  ],
  ['a changed cost', 'update payment set cost = cost - 1, refund_amount = refund_amount + 1'],
  ['a changed refund', 'update payment set refund_amount = refund_amount + 1'],
  ['a refund moved to another transfer', `update payment set refund_nonce = '${refundNonce(2)}'`],
  ['a changed price', 'update payment set value = value + 1'],
  ['a changed payer', `update payment set payer = '0x${'1'.repeat(40)}'`],
  ['a deleted payment', 'delete from payment'],
  [
    'a served payment set back to settled',
    `update payment set status = 'settled', cost = null,
    refund_amount = null, refund_status = null, refund_nonce = null where status = 'completed'`,
  ],
  ['a payment in an unknown state', "update payment set status = 'lost' where status = 'settled'"],
  [
    'a refund in an unknown state',
    "update payment set refund_status = 'lost' where refund_status = 'due'",
  ],
  ['a refund transfer in an unknown state', "update refund_transfer set status = 'lost'"],
  [
    'a second service',
    'insert into dispatch (payment_seq, at) select payment_seq, at from dispatch',
  ],
  ['a deleted service', 'delete from dispatch'],
  ['a changed entry', 'update entry set amount = amount + 1'],
  ['a deleted entry', 'delete from entry'],
  ['an entry of zero', copyOfEntry({ amount: '0' })],
  ['an entry between an account and itself', copyOfEntry({ credit: 'debit' })],
  ['an entry on an unknown account', copyOfEntry({ debit: `'pocket'` })],
  ['an entry without a payment', copyOfEntry({ payment_seq: '987654' })],
  ['a changed refund transfer', 'update refund_transfer set amount = amount + 1'],
  [
    'a refund transfer to another payer',
    `update refund_transfer set payer = '0x${'1'.repeat(40)}'`,
  ],
  ['a deleted refund transfer', 'delete from refund_transfer'],
  [
    'one transfer as the proof of two payments',
    `update payment set settlement_transaction = (select min(settlement_transaction) from payment),
      settlement_log_index = (select min(settlement_log_index) from payment)`,
  ],
  [
    'a settled payment without a proof',
    `update payment set settlement_transaction = null,
    settlement_block = null, settlement_block_hash = null, settlement_log_index = null
    where status = 'settled'`,
  ],
]

/** The same for channels. */
const refusedOfChannels: readonly (readonly [string, string])[] = [
  [
    'a second call for a voucher',
    'insert into channel_use select * from channel_use where max = 1000',
  ],
  ['a voucher moved to another call', usesOf('payment_id = (select min(id) from payment)')],
  ['a voucher with another signature', usesOf(`signature = '0x${'1'.repeat(130)}'`)],
  ['the voucher of a call in flight made free', usesOf('free = 1', 2_000)],
  ['the voucher of a paid call made free', usesOf('free = 1', 1_000)],
  ['a deleted use of a voucher', 'delete from channel_use'],
  ['a charge that falls', 'update channel set charged = charged - 1 where charged > 0'],
  ['a negative reservation', 'update channel set reserved = -1'],
  ['a claim beyond the charge', 'update channel set claimed = charged + 1'],
  ['a charge beyond the signature', 'update channel set charged = signed + 1 where charged > 0'],
  ['a reservation beyond the signature', 'update channel set reserved = signed + 1'],
  ['a channel with other terms', `update channel set receiver = '0x${'1'.repeat(40)}'`],
  ['a deleted channel', 'delete from channel'],
  ['a channel in an unknown state', "update channel set status = 'lost'"],
  ['a frozen channel without a reason', `update channel set status = 'frozen'`],
  [
    'a call that is settled',
    `update payment set settlement_transaction = '0x1', settlement_block = 1,
      settlement_block_hash = '0x1', settlement_log_index = 1 where kind = 'channel_call'`,
  ],
  [
    'a call that is refunded on the chain',
    `update payment set refund_status = 'due', refund_nonce = '${refundNonce(1)}'
      where kind = 'channel_call' and refund_amount is not null`,
  ],
  [
    'a released refund of a sale',
    `update payment set refund_status = 'released' where kind = 'sale' and refund_amount > 0`,
  ],
  ['a call without a channel', "update payment set channel_id = null where kind = 'channel_call'"],
  ['a deposit that becomes a sale', `update payment set kind = 'sale', channel_id = null`],
  ['a deposit that is served', "update payment set status = 'serving' where kind <> 'sale'"],
  [
    'a second deposit in flight',
    copyOfPayment({
      id: "'pay_ffffffffffffffffffffffffffffffff'",
      nonce: `'${refundNonce(77)}'`,
      kind: "'channel_deposit'",
      channel_id: `'${channelId(1)}'`,
    }),
  ],
  ['a changed movement', 'update channel_movement set amount = amount + 1'],
  ['a deleted movement', 'delete from channel_movement'],
  [
    'one log as the proof of two movements',
    copyOf(
      'channel_movement',
      [
        'kind',
        'chain_id',
        'channel_id',
        'amount',
        'proof_transaction',
        'proof_block',
        'proof_block_hash',
        'proof_log_index',
        'lost',
        'at',
      ],
      {},
    ),
  ],
  ['a changed entry of a movement', 'update channel_entry set amount = amount + 1'],
  ['a deleted entry of a movement', 'delete from channel_entry'],
]

function usesOf(change: string, max = 1_000): string {
  return `update channel_use set ${change} where max = ${max}`
}

/** Constraints that hold without Farebox's code, and what they cannot refuse. */
export function constraintCases(createLedger: () => Promise<ConstraintTestLedger>): void {
  corruptRowCases(createLedger)
  corruptLeaseCases(createLedger)
  test('the database itself refuses invalid changes', async () => {
    const ledger = await createLedger()
    try {
      const store = await ledger.open()
      await fillLedger(store)
      await fillChannel(store)
      const before = await exported(store)
      for (const [what, sql] of [...refusedBefore, ...refusedOfChannels]) {
        const outcome = await ledger.execute(sql).then(
          () => 'accepted',
          (error: unknown) => (isRefusal(error) ? 'refused' : String(error)),
        )
        expect(`${what}: ${outcome}`).toBe(`${what}: refused`)
      }
      expect(await exported(store)).toEqual(before)
      expect(await channelErrors(store)).toEqual([])
    } finally {
      await ledger.dispose()
    }
  })

  test('a refund transfer that is not the sum of its refunds cannot be signed', async () => {
    const ledger = await createLedger()
    try {
      const store = await ledger.open()
      const { transfer } = await withRefundDue(store, 1)
      const { nonce } = await withRefundDue(store, 2).then(({ transfer: other }) => other)
      await ledger.execute(`insert into refund_transfer (nonce, version, chain_id, asset, payer, amount, status,
        attempts, next_attempt_at, created_at, updated_at)
        select '${refundNonce(9)}', 1, chain_id, asset, payer, 1, 'waiting', 0, 0, 0, 0
        from refund_transfer where nonce = '${nonce}'`)
      const forged = await store.loadRefund(refundNonce(9))
      if (forged === undefined) throw new Error('the forged refund transfer is missing')
      const signed = { type: 'signed', signature: '0xab', validBefore: 1, at: start } as const
      await expect(store.applyToRefund(forged, signed)).rejects.toMatchObject({
        code: 'refused_by_database',
      })
      expect((await applyRefundEvents(store, transfer, [signed])).status).toBe('signed')
    } finally {
      await ledger.dispose()
    }
  })
}

/** What SQL can write and no version of the ledger has written. */
function corruptRowCases(createLedger: () => Promise<ConstraintTestLedger>): void {
  test('a row that cannot be read ends an export with its name, or is left out and named', async () => {
    const ledger = await createLedger()
    try {
      const store = await ledger.open()
      const { id } = (await withRefundDue(store, 1)).payment
      await settled(store, 3)
      await ledger.execute(`update payment set usage = '{"source":' where id = '${id}'`)
      const named = expect.objectContaining({
        code: 'corrupt_row',
        message: expect.stringContaining(`an invalid usage in the row of ${id}: `),
      })
      await expect(Array.fromAsync(store.exportPayments())).rejects.toEqual(named)
      await expect(store.load(id)).rejects.toEqual(named)
      const left: LedgerError[] = []
      const others = await Array.fromAsync(store.exportPayments((error) => left.push(error)))
      expect(others).toHaveLength(1)
      expect(left).toEqual([named])
    } finally {
      await ledger.dispose()
    }
  })
}

type Lease = (
  store: LedgerStore,
  request: LeaseRequest,
  onCorrupt?: OnCorruptRow,
) => Promise<readonly unknown[]>

/** Each begins when the leases of the one before have ended. */
const requests = [1, 2, 3].map((n) => ({
  owner: 'a',
  now: start + n * 10_000,
  until: start + (n + 1) * 10_000,
  limit: 9,
}))

/** Rows that can be leased, two of each, one of which cannot be read after the change. */
const leases: readonly (readonly [what: string, corrupt: string, column: string, lease: Lease])[] =
  [
    [
      'an unfinished payment',
      `update payment set usage = '{' where id = (select min(id) from payment)`,
      'usage',
      (store, request, onCorrupt) => store.leaseUnfinished(request, onCorrupt),
    ],
    [
      'a refund transfer',
      'update refund_transfer set attempts = 9007199254740993 where seq = (select min(seq) from refund_transfer)',
      'attempts',
      (store, request, onCorrupt) => store.leaseRefunds(request, onCorrupt),
    ],
    [
      'a channel',
      `update channel set seen_block = 9007199254740993 where id = '${channelId(1)}'`,
      'seen_block',
      (store, request, onCorrupt) =>
        store.leaseChannels(
          { due: 'close', above: atomicUsdc(0n), before: start + 9_000 },
          request,
          onCorrupt,
        ),
    ],
  ]

function corruptLeaseCases(createLedger: () => Promise<ConstraintTestLedger>): void {
  test.each(leases)(
    '%s that cannot be read is named once a lease, and the other one is leased',
    async (_, corrupt, column, lease) => {
      const ledger = await createLedger()
      try {
        const store = await ledger.open()
        for (const number of [1, 2]) {
          await withRefundDue(store, number)
          await opened(store, number)
        }
        const [first, second, third] = requests as [LeaseRequest, LeaseRequest, LeaseRequest]
        const all = await lease(store, first)
        await ledger.execute(corrupt)
        const named: string[] = []
        const name: OnCorruptRow = ({ code, message }) => named.push(`${code}: ${message}`)
        expect(await lease(store, second, name)).toHaveLength(all.length - 1)
        expect(named).toEqual([
          expect.stringContaining(
            `corrupt_row: the database holds an invalid ${column} in the row`,
          ),
        ])
        expect(await lease(store, second, name)).toEqual([])
        expect(named).toHaveLength(1)
        await expect(lease(store, third)).rejects.toMatchObject({ code: 'corrupt_row' })
      } finally {
        await ledger.dispose()
      }
    },
  )
}

export async function fillLedger(store: LedgerStore): Promise<void> {
  await withRefundDue(store, 1)
  await withRefundDue(store, 2)
  await settled(store, 3)
  await completed(store, 4, { cost: 1_000n, refund: { kind: 'batch' } })
}

/** A channel with a deposit in flight, a paid call, a call in flight and a proven movement. */
async function fillChannel(store: LedgerStore): Promise<void> {
  await opened(store, 1)
  await ended(store, await held(store, 1, { number: 11, max: 1_000n }), 400n)
  await held(store, 1, { number: 12, max: 2_000n })
  await store.claimDeposit(newDeposit(1, 13), newChannel(1))
  await applyToChannel(store, 1, [channelEvents.deposited(5n)])
}

export function isRefusal(error: unknown): boolean {
  const code: unknown = typeof error === 'object' && error !== null && Reflect.get(error, 'code')
  return typeof code === 'string' && (code.startsWith('23') || code.startsWith('SQLITE_CONSTRAINT'))
}

function copyOfPayment(changes: Readonly<Record<string, string>>): string {
  const columns = [
    'id',
    'version',
    'status',
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
    'resource',
    'model',
    'price_version',
    'intent_block',
    'settlement_final',
    'unfinished',
    'created_at',
    'updated_at',
  ]
  const fresh = { status: "'settling'", ...changes }
  const more = Object.keys(changes).filter((name) => !columns.includes(name))
  return copyOf('payment', [...columns, ...more], fresh)
}

function copyOfEntry(changes: Readonly<Record<string, string>>): string {
  return copyOf('entry', ['payment_seq', 'debit', 'credit', 'amount', 'at'], changes)
}

function copyOf(
  table: string,
  columns: readonly string[],
  changes: Readonly<Record<string, string>>,
): string {
  const values = columns.map((column) => changes[column] ?? column)
  return `insert into ${table} (${columns.join(', ')})
    select ${values.join(', ')} from ${table} where seq = (select min(seq) from ${table})`
}
