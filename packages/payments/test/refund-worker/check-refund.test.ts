import type { PaymentRecord, RefundTransfer } from '@farebox/ledger'
import { defaultPaymentPolicy } from '@farebox/payments'
import type { AuthorizationUse } from '@farebox/payments/chain'
import { expect, test } from 'vitest'
import {
  checkEarlierSending,
  checkFinality,
  checkWriteOff,
  unlessTransferred,
} from '../../src/refund-worker/check-refund.ts'
import { claimedSale } from '../support/claimed-sale.ts'
import { refundTransfer } from '../support/refund-world.ts'

const { from: payer, to: treasury, validBefore: expiry } = claimedSale.authorization
const proof = { transaction: '0x1', block: 9, blockHash: '0x2', logIndex: 0 } as const

const signed = refundTransfer({ validBefore: expiry })
const submitted = { ...signed, status: 'submitted', transaction: '0x6' } as const

const paid: AuthorizationUse = { status: 'transferred', to: payer, value: signed.amount, proof }
const canceled: AuthorizationUse = { status: 'canceled' }
/** Of a nonce that was not used by this time of the chain, in seconds. */
const unusedAt = (timestamp: number): AuthorizationUse => ({
  status: 'unused',
  head: { number: 9, hash: '0x2', timestamp },
})

/** A chain that shows this for the nonce of the refund. */
function portsWith(use: AuthorizationUse, now = 0) {
  const searched: number[] = []
  return {
    searched,
    chain: {
      authorizationUse: async ({ fromBlock = -1 }: { readonly fromBlock?: number }) => {
        searched.push(fromBlock)
        return use
      },
    },
    signer: { treasury },
    clock: () => now * 1_000,
    policy: {
      ...defaultPaymentPolicy,
      finalConfirmations: 7,
      watchMs: 30_000,
      blockMs: 20_000,
      refundPollMs: 2_000,
      resendMs: 60_000,
    },
  }
}

const finality = (confirmations: number | 'gone', transfer: RefundTransfer) =>
  checkFinality({ ...portsWith(canceled), store: { load: noPayment } }, transfer, () =>
    Promise.resolve(confirmations),
  )

const noPayment = () => Promise.resolve(undefined)

test('a refund is final to the confirmation, and before that it is watched', async () => {
  const confirmed = { ...submitted, status: 'confirmed', proof } as const
  expect(await finality(6, confirmed)).toEqual({ status: 'retry_later', delayMs: 30_000 })
  expect(await finality(3, confirmed)).toEqual({ status: 'retry_later', delayMs: 80_000 })
  expect(await finality(7, confirmed)).toEqual({ status: 'final' })
})

test('a refund that left the chain is lost, with what its nonce shows now', async () => {
  const lost = { status: 'lost', use: canceled }
  expect(await finality('gone', { ...submitted, status: 'confirmed', proof })).toEqual(lost)
  expect(await finality(7, { ...submitted, status: 'confirmed' })).toEqual(lost)
})

test('a refund is looked for from the earliest settlement of its batch, or the claim of a lost one', async () => {
  const ports = portsWith(paid)
  const blocks = [
    [4, 8],
    [4, 6],
    [5, null],
  ] as const
  const payments = blocks.map(([intentBlock, block]) => paymentAt(intentBlock, block))
  await unlessTransferred(ports, { transfer: signed, payments }, { status: 'final' })
  await unlessTransferred(
    ports,
    { transfer: signed, payments: payments.slice(0, 2) },
    { status: 'final' },
  )
  expect(ports.searched).toEqual([5, 6])
})

function paymentAt(intentBlock: number, block: number | null): PaymentRecord {
  return { ...claimedSale, intentBlock, settlement: block === null ? null : { ...proof, block } }
}

const writtenOff = { status: 'written_off' }
const later = { status: 'retry_later', delayMs: 60_000 }
const elsewhere: AuthorizationUse = { ...paid, to: treasury }

test.each([
  ['it was paid', paid, expiry + 9_999, { status: 'transferred', use: paid }],
  ['its nonce paid another account and it has expired', elsewhere, expiry + 1, writtenOff],
  ['its nonce paid another account and it expires now', elsewhere, expiry, later],
  ['its nonce was canceled and it has expired', canceled, expiry + 1, writtenOff],
  ['no block can include it any more', unusedAt(expiry + 601), expiry + 601, writtenOff],
  ['a block could include it by our clock', unusedAt(expiry + 601), expiry + 600, later],
  ['a block could include it by the chain', unusedAt(expiry + 600), expiry + 601, later],
] as const)('a refund is written off, or not, when %s', async (_, use, now, outcome) => {
  expect(await checkWriteOff(portsWith(use, now), submitted, [])).toEqual(outcome)
})

test('a refund that was never signed is written off at once', async () => {
  const never = { ...signed, status: 'blocked', validBefore: null } as const
  expect(await checkWriteOff(portsWith(unusedAt(0)), never, [])).toEqual(writtenOff)
})

test.each([
  ['signed', signed, paid, { status: 'transferred', use: paid }],
  ['submitted', submitted, paid, { status: 'transferred', use: paid }],
  ['signed', signed, canceled, { status: 'blocked_for_payee', reason: 'authorization_canceled' }],
  [
    'submitted',
    submitted,
    canceled,
    { status: 'blocked_for_payee', reason: 'authorization_canceled' },
  ],
  // What was signed and not sent yet is sent.
  ['signed', signed, unusedAt(0), null],
] as const)(
  'before a refund that is %s is sent, its nonce decides',
  async (_, transfer, use, outcome) => {
    expect(await checkEarlierSending(portsWith(use), transfer, [])).toEqual(outcome)
  },
)

test('a refund that was not signed yet needs no look at the chain', async () => {
  const ports = portsWith(paid)
  const waiting = { ...signed, status: 'waiting' } as const
  expect(await checkEarlierSending(ports, waiting, [])).toBeNull()
  expect(ports.searched).toEqual([])
})

test.each([
  ['half a second', 500, { status: 'retry_later', delayMs: 2_000 }],
  ['nothing, its attempt being overdue', -500, { status: 'retry_later', delayMs: 2_000 }],
  ['ten seconds', 10_000, { status: 'retry_later', delayMs: 20_000 }],
  ['half of the pause between sendings', 30_000, { status: 'retry_later', delayMs: 60_000 }],
  ['more than that', 30_001, null],
])(
  'a refund that was sent is looked up twice as late each time, after %s',
  async (_, waited, outcome) => {
    const transfer = { ...submitted, updatedAt: 1_000_000, nextAttemptAt: 1_000_000 + waited }
    expect(await checkEarlierSending(portsWith(unusedAt(0)), transfer, [])).toEqual(outcome)
  },
)

test('a refund that cannot be paid stays so unless the chain shows that it was', async () => {
  const blocked = { status: 'blocked_for_payee', reason: 'blacklisted_payee' } as const
  const transfer = { transfer: signed, payments: [] }
  expect(await unlessTransferred(portsWith(unusedAt(0)), transfer, blocked)).toEqual(blocked)
  expect(await unlessTransferred(portsWith(paid), transfer, blocked)).toEqual({
    status: 'transferred',
    use: paid,
  })
})
