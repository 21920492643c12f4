import { type Devnet, startDevnet } from '@farebox/devnet'
import type { LedgerEntry, LedgerStore, PaymentRecord, RefundTransfer } from '@farebox/ledger'
import { audit } from '@farebox/payments'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { executeAuthorization, moveNothing } from '../support/on-chain.ts'
import { network, signAuthorization, usdc } from '../support/pay.ts'
import {
  admitted,
  auditTestPaywall,
  openTestPaywall,
  payHeaders,
  price,
  requestFor,
  runRefunds,
  sell,
  type TestPaywall,
} from '../support/test-paywall.ts'

let devnet: Devnet
let paywall: TestPaywall
let sold: PaymentRecord
beforeAll(async () => {
  devnet = await startDevnet()
  paywall = openTestPaywall({ devnet })
  sold = await sell(paywall, devnet.payers[0]!, 4_000n)
  await sell(paywall, devnet.payers[1]!, price)
  await runRefunds(paywall)
})
afterAll(async () => {
  paywall.close()
  await devnet.stop()
})

/** Audits the chain against a ledger with changed contents. */
async function auditOf(changes: {
  readonly payment?: (payment: PaymentRecord) => PaymentRecord | null
  readonly entries?: (entries: readonly LedgerEntry[]) => readonly LedgerEntry[]
  readonly refund?: (refund: RefundTransfer) => RefundTransfer | null
  readonly maxRefundDelayMs?: number
}) {
  const { payment: change, entries: changeEntries, refund: changeRefund, ...rest } = changes
  const store: Pick<LedgerStore, 'exportPayments' | 'exportRefunds' | 'keptRevenue'> = {
    async *exportPayments() {
      for await (const { payment, entries } of paywall.store.exportPayments()) {
        const changed = change === undefined ? payment : change(payment)
        const written = changeEntries === undefined ? entries : changeEntries(entries)
        if (changed !== null) yield { payment: changed, entries: written }
      }
    },
    keptRevenue: () => paywall.store.keptRevenue(),
    async *exportRefunds() {
      for await (const refund of paywall.store.exportRefunds()) {
        const changed = changeRefund === undefined ? refund : changeRefund(refund)
        if (changed !== null) yield changed
      }
    },
  }
  const treasury = devnet.treasury.address
  const { chain } = paywall
  return await audit({ store, chain, asset: network.usdc, treasury, fromBlock: 0, ...rest })
}

test('what was paid, served and refunded matches to the unit', async () => {
  expect(await auditTestPaywall(paywall)).toMatchObject({
    transfers: 3,
    payments: 2,
    refunds: 1,
    received: 2n * price,
    refunded: 6_000n,
    explained: [],
    unexplained: [],
    unexplainedUnits: 0n,
  })
})

test('a refund that the ledger does not know is unexplained', async () => {
  const { unexplained, unexplainedUnits } = await auditOf({ refund: () => null })
  expect(unexplained).toMatchObject([{ kind: 'outbound_without_refund', amount: 6_000n }])
  expect(unexplainedUnits).toBe(6_000n)
})

test('a payment that is missing from the ledger is in suspense, and its refund is recognized by its nonce', async () => {
  const { explained, unexplained } = await auditOf({
    payment: (payment) => (payment.id === sold.id ? null : payment),
    refund: () => null,
  })
  expect(unexplained).toEqual([])
  expect(explained).toMatchObject([
    { kind: 'suspense', amount: price },
    { kind: 'unrecorded_refund', amount: 6_000n },
  ])
})

test('a settlement and a refund that only the ledger knows are unexplained', async () => {
  const elsewhere = { transaction: `0x${'e'.repeat(64)}` } as const
  const { unexplained } = await auditOf({
    payment: (payment) => ({
      ...payment,
      settlement: payment.settlement === null ? null : { ...payment.settlement, ...elsewhere },
    }),
    refund: (refund) => ({
      ...refund,
      proof: refund.proof === null ? null : { ...refund.proof, ...elsewhere },
    }),
  })
  const kinds = unexplained.map(({ kind }) => kind)
  expect(kinds.filter((kind) => kind === 'settlement_missing')).toHaveLength(2)
  expect(kinds).toContain('refund_missing')
})

test('an amount that differs by one unit is unexplained', async () => {
  const { unexplained } = await auditOf({
    refund: (refund) => ({
      ...refund,
      amount: usdc(refund.amount + 1n),
    }),
  })
  expect(unexplained).toMatchObject([{ kind: 'transfer_differs', amount: 1n }])
})

test('entries and sums that do not add up are unexplained', async () => {
  const lost = await auditOf({ entries: (entries) => entries.slice(1) })
  expect(lost.unexplained.map(({ kind }) => kind)).toContain('entries_differ')
  const short = await auditOf({
    payment: (payment) =>
      payment.id === sold.id ? { ...payment, cost: usdc((payment.cost ?? 0n) - 1n) } : payment,
  })
  expect(short.unexplained).toContainEqual(
    expect.objectContaining({ kind: 'sum_differs', amount: 1n, paymentId: sold.id }),
  )
})

test.each<[string, Partial<RefundTransfer>]>([
  ['in another state', { status: 'written_off' }],
  ['not sent', { status: 'waiting' }],
  ['of another payment', { nonce: `0x${'e'.repeat(64)}` }],
])('a refund whose transfer is %s is unexplained', async (_, changes) => {
  const { unexplained } = await auditOf({ refund: (refund) => ({ ...refund, ...changes }) })
  const { refund } = (await paywall.store.load(sold.id))!
  expect(unexplained).toContainEqual(
    expect.objectContaining({
      kind: 'refund_differs',
      amount: 6_000n,
      paymentId: sold.id,
      nonce: refund?.nonce,
    }),
  )
})

test.each<[string, Partial<RefundTransfer>, bigint]>([
  ['pays another account', { payer: `0x${'e'.repeat(40)}` }, 6_000n],
  ['has another amount', { amount: usdc(5_998n) }, 2n],
  ['pays one that is final elsewhere', { status: 'final' }, 6_000n],
  ['pays one that is written off', { status: 'written_off' }, 6_000n],
])('a transfer with the nonce of a refund that %s is unexplained', async (_, changes, amount) => {
  const unproven = { proof: null, status: 'submitted' } as const
  const { unexplained } = await auditOf({
    refund: (refund) => ({ ...refund, ...unproven, ...changes }),
  })
  expect(unexplained).toContainEqual(
    expect.objectContaining({ kind: 'transfer_differs', amount, nonce: sold.refund?.nonce }),
  )
})

test('a transfer that pays an open refund is one in progress', async () => {
  const { explained } = await auditOf({
    refund: (refund) => ({ ...refund, proof: null, status: 'submitted' }),
  })
  expect(explained).toMatchObject([{ kind: 'refund_in_progress', amount: 6_000n }])
})

test('a refund that changes while the payments are read is not compared', async () => {
  let reads = 0
  const { unexplained } = await auditOf({
    refund(refund) {
      reads += 1
      return reads === 1 ? { ...refund, status: 'signed', version: refund.version - 1 } : refund
    },
  })
  expect([unexplained, reads]).toEqual([[], 2])
})

test.each(['settling', 'unknown', 'settled', 'serving'] as const)(
  'a payment to which nothing has happened for a day since it was %s is overdue',
  async (status) => {
    const { timestamp } = await paywall.chain.head()
    const overdueAt = async (updatedAt: number) => {
      const { unexplained } = await auditOf({
        payment: (payment) =>
          payment.id === sold.id ? { ...payment, status, cost: null, updatedAt } : payment,
      })
      return unexplained.filter(({ kind }) => kind === 'overdue')
    }
    const dayBefore = timestamp * 1_000 - 86_400_000
    expect(await overdueAt(dayBefore)).toEqual([])
    expect(await overdueAt(dayBefore - 1)).toMatchObject([{ amount: price, paymentId: sold.id }])
  },
)

test('a small refund that waits for others a day longer than it may is overdue', async () => {
  const { timestamp } = await paywall.chain.head()
  const overdueAt = async (updatedAt: number, maxRefundDelayMs?: number) => {
    const { unexplained } = await auditOf({
      payment: ({ refund, ...payment }) => ({
        ...payment,
        updatedAt,
        refund: refund && { ...refund, status: 'accruing', nonce: null, transaction: null },
      }),
      ...(maxRefundDelayMs !== undefined && { maxRefundDelayMs }),
    })
    return unexplained.filter(({ kind }) => kind === 'overdue')
  }
  const daysBefore = (days: number) => timestamp * 1_000 - days * 86_400_000
  const late = [{ amount: 6_000n, paymentId: sold.id }]
  expect(await overdueAt(daysBefore(2))).toEqual([])
  expect(await overdueAt(daysBefore(2) - 1)).toMatchObject(late)
  expect(await overdueAt(daysBefore(1), 0)).toEqual([])
  expect(await overdueAt(daysBefore(1) - 1, 0)).toMatchObject(late)
})

test.each(['waiting', 'signed', 'submitted'] as const)(
  'a refund to which nothing has happened for a day since it was %s is overdue',
  async (status) => {
    const { timestamp } = await paywall.chain.head()
    const updatedAt = timestamp * 1_000 - 86_400_001
    const { unexplained } = await auditOf({
      refund: (refund) => ({ ...refund, status, updatedAt }),
    })
    expect(unexplained).toContainEqual(
      expect.objectContaining({ kind: 'overdue', amount: 6_000n, paymentId: sold.id }),
    )
    const blocked = await auditOf({
      refund: (refund) => ({ ...refund, status: 'blocked', updatedAt }),
    })
    expect(blocked.unexplained.map(({ kind }) => kind)).not.toContain('overdue')
  },
)

test('unsolicited money and payments in progress are explained', async () => {
  const gift = await signAuthorization({
    signer: devnet.payers[2]!,
    to: devnet.treasury.address,
    value: 123n,
  })
  await executeAuthorization(devnet, gift)
  admitted(await paywall.gate.admit(requestFor((await payHeaders(devnet, devnet.payers[3]!)).v2)))
  const { explained, unexplained } = await auditTestPaywall(paywall)
  expect(unexplained).toEqual([])
  expect(explained).toMatchObject([{ kind: 'suspense', amount: 123n }])
})

test('what strangers log does not spoil the audit: transfers of nothing, and another use of a nonce', async () => {
  const treasury = devnet.treasury.address
  const before = await auditTestPaywall(paywall)
  await moveNothing(devnet, treasury)
  const payer = devnet.payers[4]!
  const { v2, signed } = await payHeaders(devnet, payer)
  const { nonce } = signed.message
  const twin = await signAuthorization({ signer: payer, to: treasury, value: 1n, nonce })
  await executeAuthorization(devnet, twin)
  expect((await paywall.gate.admit(requestFor(v2))).status).toBe('rejected')
  expect((await auditTestPaywall(paywall)).unexplained).toEqual(before.unexplained)
  await devnet.increaseTime(400)
  paywall.passSeconds(400)
  await paywall.recovery.runOnce()
  for await (const { payment } of paywall.store.exportPayments()) {
    if (payment.authorization.nonce === nonce) expect(payment.status).toBe('void')
  }
  const { explained, unexplained } = await auditTestPaywall(paywall)
  expect(unexplained).toEqual(before.unexplained)
  expect(explained).toContainEqual(expect.objectContaining({ kind: 'suspense', amount: 1n, nonce }))
})
