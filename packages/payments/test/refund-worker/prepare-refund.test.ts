import { createPaymentId, type PaymentRecord, type RefundTransfer } from '@farebox/ledger'
import { expect, test } from 'vitest'
import { type PreparedRefund, prepareRefund } from '../../src/refund-worker/prepare-refund.ts'
import { usdc } from '../support/pay.ts'
import {
  nonceOf,
  payer,
  proof,
  refunded,
  refundTransfer,
  refundWorld,
  start,
  transferred,
} from '../support/refund-world.ts'

const id = createPaymentId(0, new Uint8Array(10))
const waiting = (changes: Partial<RefundTransfer> = {}) =>
  refundTransfer({
    status: 'waiting',
    signature: null,
    validBefore: null,
    signedAt: null,
    ...changes,
  })
const blocked = (changes: Partial<RefundTransfer> = {}) =>
  waiting({ status: 'blocked', reason: 'reverts', ...changes })

type Case = {
  readonly transfer: RefundTransfer
  /** What the refund comes from. */
  readonly payment?: PaymentRecord
  readonly confirmations?: number | 'gone'
  readonly grant?: 'granted' | 'treasury_empty' | 'hourly_cap'
  readonly obstacle?: { readonly scope: 'payee' | 'system'; readonly reason: string }
  readonly isPaid?: boolean
  readonly maxRefund?: bigint
  readonly isPaused?: boolean
}

/** Prepares a refund of one payment. */
async function prepared({ transfer, payment = refunded(), confirmations = 10, ...rest }: Case) {
  const { grant = 'granted', obstacle = null, isPaid = false, maxRefund, isPaused = false } = rest
  const made = refundWorld([transfer], {
    policy: {
      refundConfirmations: 10,
      refundPollMs: 2_000,
      ...(maxRefund !== undefined && { maxRefund: usdc(maxRefund) }),
    },
  })
  const sender = { ...made.ports.sender, probe: async () => obstacle as never }
  const load = async () => payment
  const store = { ...made.store, load }
  if (isPaid) made.world.uses.set(nonceOf(3), transferred())
  if (isPaused) made.ports.breaker.trip('no_gas')
  made.notices.length = 0
  const asked: unknown[] = []
  const round = {
    confirmationsOf: async () => confirmations,
    grantRefund: async (refund: RefundTransfer) => {
      asked.push(refund.nonce)
      return grant
    },
  }
  const ports = { ...made.ports, ...round, sender, store }
  const result = await prepareRefund(ports, { ...transfer, payments: [id] })
  return { ...made, result, asked }
}

const outcomeOf = (result: PreparedRefund) => (result.status === 'held' ? result.outcome : result)

test('a refund whose payments are confirmed is signed and ready', async () => {
  const { result, refundNow, noticed, asked } = await prepared({ transfer: waiting() })
  expect(result).toMatchObject({
    status: 'ready',
    refund: { to: payer, value: 6_000n, signature: '0x6' },
    payments: [refunded()],
  })
  expect(await refundNow()).toMatchObject({ status: 'signed', signature: '0x6' })
  expect([asked, noticed()]).toEqual([[nonceOf(3)], []])
})

test('a blocked refund whose obstacle is gone is ready', async () => {
  const { result, refundNow, noticed } = await prepared({ transfer: blocked() })
  expect(result).toMatchObject({ status: 'ready', leased: { status: 'blocked' } })
  expect((await refundNow()).status).toBe('signed')
  expect(noticed()).toEqual([])
})

test('a confirmed refund is only watched', async () => {
  const transfer = refundTransfer({ status: 'confirmed', transaction: '0x8', proof })
  const { result, asked } = await prepared({ transfer })
  expect(outcomeOf(result)).toEqual({ status: 'final' })
  expect(asked).toEqual([])
})

test('a refund that was signed and arrived is not sent again', async () => {
  const { result, asked } = await prepared({ transfer: refundTransfer(), isPaid: true })
  expect(outcomeOf(result)).toMatchObject({ status: 'transferred' })
  expect(asked).toEqual([])
})

test('a write-off that was requested is judged before anything else', async () => {
  const { result, signed } = await prepared({
    transfer: blocked({ reason: 'write_off_requested' }),
  })
  expect(outcomeOf(result)).toEqual({ status: 'written_off' })
  expect(signed).toEqual([])
})

test.each([
  [6_000n, 'ready'],
  [5_999n, 'blocked_for_payee'],
] as const)('with refunds of at most %d, one of 6,000: %s', async (maxRefund, status) => {
  const { result } = await prepared({ transfer: waiting(), maxRefund })
  expect(outcomeOf(result)).toMatchObject({
    status,
    ...(status !== 'ready' && { reason: 'refund_cap' }),
  })
})

test.each([
  [9, 20_000],
  [7, 60_000],
] as const)(
  'a payment with %d of 10 confirmations is looked at again in %d ms',
  async (confirmations, delayMs) => {
    const { result, signed } = await prepared({ transfer: waiting(), confirmations })
    expect(outcomeOf(result)).toEqual({ status: 'retry_later', delayMs })
    expect(signed).toEqual([])
  },
)

const lost = refunded({ settlement: null })
test.each<readonly [string, PaymentRecord, RefundTransfer, string]>([
  [
    'may arrive',
    refunded({ settlement: null, payload: {} as never }),
    blocked(),
    'blocked_for_payee',
  ],
  ['is lost, and its refund not blocked yet', lost, waiting(), 'blocked_for_payee'],
  ['is lost, and its refund blocked', lost, blocked(), 'written_off'],
  [
    'is lost, and a signature may pass',
    lost,
    blocked({ validBefore: start / 1000 }),
    'blocked_for_payee',
  ],
  [
    'is lost, and no signature passes',
    lost,
    blocked({ validBefore: start / 1000 - 1 }),
    'written_off',
  ],
])('a refund of money that %s', async (_, payment, transfer, status) => {
  const { result } = await prepared({ transfer, payment })
  expect(outcomeOf(result)).toMatchObject({ status })
  if (status !== 'written_off')
    expect(outcomeOf(result)).toMatchObject({ reason: 'settlement_lost' })
})

test('nothing is signed or granted while refunds are paused', async () => {
  const { result, signed, asked } = await prepared({ transfer: waiting(), isPaused: true })
  expect(outcomeOf(result)).toEqual({ status: 'blocked_for_system', reason: null })
  expect([signed, asked]).toEqual([[], []])
})

test('a treasury that holds too little blocks a refund, unless it was paid', async () => {
  const empty = await prepared({ transfer: blocked(), grant: 'treasury_empty' })
  expect(outcomeOf(empty.result)).toEqual({
    status: 'blocked_for_system',
    reason: 'treasury_empty',
  })
  const paid = await prepared({ transfer: blocked(), grant: 'treasury_empty', isPaid: true })
  expect(outcomeOf(paid.result)).toMatchObject({ status: 'transferred' })
  expect(empty.ports.breaker.state()).toBeNull()
})

test('a used-up hour pauses all refunds', async () => {
  const { result, ports, signed } = await prepared({ transfer: waiting(), grant: 'hourly_cap' })
  expect(outcomeOf(result)).toEqual({ status: 'blocked_for_system', reason: null })
  expect([ports.breaker.state()?.reason, signed]).toEqual(['hourly_cap', []])
})

test('an obstacle on our side pauses all refunds, and keeps the signature', async () => {
  const obstacle = { scope: 'system', reason: 'token_paused' } as const
  const { result, ports, refundNow } = await prepared({ transfer: waiting(), obstacle })
  expect(result).toMatchObject({
    status: 'held',
    outcome: { status: 'blocked_for_system', reason: null },
    leased: { status: 'waiting' },
  })
  expect([ports.breaker.state()?.reason, (await refundNow()).status]).toEqual([
    'token_paused',
    'signed',
  ])
})

test.each([
  ['blacklisted_payee', false, 'blocked_for_payee'],
  ['blacklisted_payee', true, 'blocked_for_payee'],
  ['reverts', false, 'blocked_for_payee'],
  ['reverts', true, 'transferred'],
] as const)(
  'an obstacle of the payee, %s, with its nonce paid: %s',
  async (reason, isPaid, status) => {
    const obstacle = { scope: 'payee', reason } as const
    const { result, ports, noticed } = await prepared({ transfer: waiting(), obstacle, isPaid })
    expect(outcomeOf(result)).toMatchObject({ status, ...(status !== 'transferred' && { reason }) })
    expect([ports.breaker.state(), noticed()]).toEqual([null, []])
  },
)

test('a refund that another replica changed first is left to it', async () => {
  const { ports } = refundWorld([waiting({ version: 2 })])
  const round = { confirmationsOf: async () => 10, grantRefund: async () => 'granted' as const }
  expect(await prepareRefund({ ...ports, ...round }, waiting())).toEqual({ status: 'superseded' })
})

test('a refund that another replica unblocked first is left to it', async () => {
  const transfer = blocked({ signature: '0x5', validBefore: start / 1000 + 86_400 })
  const { ports } = refundWorld([transfer])
  const applyToRefund = async () => ({ status: 'conflict', transfer }) as const
  const store = { ...ports.store, applyToRefund }
  const round = { confirmationsOf: async () => 10, grantRefund: async () => 'granted' as const }
  expect(await prepareRefund({ ...ports, ...round, store }, transfer)).toEqual({
    status: 'superseded',
  })
})
