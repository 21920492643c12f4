import { expect, test } from 'vitest'
import {
  applyRefundEvents,
  completed,
  exported,
  refundNonce,
  settled,
  start,
  withRefundDue,
} from '../../src/conformance/fixtures.ts'
import type { LedgerStore } from '../../src/index.ts'
import type { SqlTestLedger } from './test-ledgers.ts'

export type ConstraintTestLedger = SqlTestLedger & {
  readonly execute: (sql: string) => Promise<void>
}

/** Changes that the database itself refuses from any client. */
const refused: readonly (readonly [string, string])[] = [
  [
    'a second claim of an authorisation',
    copyOfPayment({ id: "'pay_ffffffffffffffffffffffffffffffff'" }),
  ],
  [
    'an authorisation that is not in canonical form',
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
  ['a changed refund transfer', 'update payout set amount = amount + 1'],
  ['a refund transfer to another payer', `update payout set payer = '0x${'1'.repeat(40)}'`],
  ['a deleted refund transfer', 'delete from payout'],
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

/** Constraints that hold without Farebox's code. */
export function constraintCases(createLedger: () => Promise<ConstraintTestLedger>): void {
  test('the database itself refuses invalid changes', async () => {
    const ledger = await createLedger()
    try {
      const store = await ledger.open()
      await fillLedger(store)
      const before = await exported(store)
      for (const [what, sql] of refused) {
        const outcome = await ledger.execute(sql).then(
          () => 'accepted',
          (error: unknown) => (isRefusal(error) ? 'refused' : String(error)),
        )
        expect(`${what}: ${outcome}`).toBe(`${what}: refused`)
      }
      expect(await exported(store)).toEqual(before)
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
      await ledger.execute(`insert into payout (nonce, version, chain_id, asset, payer, amount, status,
        attempts, next_attempt_at, created_at, updated_at)
        select '${refundNonce(9)}', 1, chain_id, asset, payer, 1, 'waiting', 0, 0, 0, 0
        from payout where nonce = '${nonce}'`)
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

async function fillLedger(store: LedgerStore): Promise<void> {
  await withRefundDue(store, 1)
  await withRefundDue(store, 2)
  await settled(store, 3)
  await completed(store, 4, { cost: 1_000n, refund: { kind: 'batch' } })
}

function isRefusal(error: unknown): boolean {
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
  return copyOf('payment', columns, fresh)
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
