import { createPaymentId, type Hex, type PaymentRecord, type PendingRefunds } from '@farebox/ledger'
import { expect, test } from 'vitest'
import { batchedRefundNonce } from '../../src/refund-plan/refund-nonce.ts'
import { batchSmallRefunds } from '../../src/refund-worker/batch-small-refunds.ts'
import { usdc } from '../support/pay.ts'
import { asset, payer, proof, refundTransfer, refundWorld, start } from '../support/refund-world.ts'

const chainId = 84532
const day = 86_400_000
const account = { payer, chainId, asset }

/** A small refund of this amount, of a payment in this block. */
function owed(name: number, amount: bigint, changes: Partial<PaymentRecord> = {}): PaymentRecord {
  const id = createPaymentId(name, new Uint8Array(10))
  const refund = { amount: usdc(amount) }
  const settlement = { ...proof, block: 5 }
  return { id, refund, settlement, intentBlock: 4, createdAt: start, ...changes } as PaymentRecord
}

type Found = { readonly value: bigint; readonly block: number }

type Owed = {
  readonly payments: readonly PaymentRecord[]
  readonly confirmations?: (payment: { readonly block: number }) => number
  /** What the chain holds of the sequence from 7 on; null for a nonce that was cancelled. */
  readonly onChain?: readonly (Found | null)[]
  /** How many transfers of the sequence the ledger knows. */
  readonly known?: number
  readonly undecidedFrom?: number | null
  readonly isTaken?: boolean
}

/** A payer whose sequence stands at 7, and what was batched. */
function owing({
  payments,
  confirmations = () => 10,
  onChain = [],
  known = 0,
  undecidedFrom = null,
  isTaken = false,
}: Owed) {
  const batched: { readonly ids: readonly string[]; readonly nonce: Hex }[] = []
  const sequences: number[] = []
  const searched: number[] = []
  const asked: unknown[] = []
  const nonceAt = (place: number) => batchedRefundNonce({ ...account, sequence: 7 + place })
  const made = refundWorld([], { policy: { refundConfirmations: 10, maxRefundDelayMs: day } })
  const pending: PendingRefunds = { ...account, sequence: 7, payments }
  const ports = {
    ...made.ports,
    chain: {
      ...made.ports.chain,
      authorizationUse: async ({ nonce, fromBlock = -1 }: { nonce: Hex; fromBlock?: number }) => {
        searched.push(fromBlock)
        const place = onChain.findIndex((_, index) => nonceAt(known + index) === nonce)
        const use = onChain[place]
        if (use === null) return { status: 'canceled' as const }
        if (use === undefined)
          return { status: 'unused' as const, head: await made.ports.chain.head() }
        const paid = { ...proof, block: use.block, logIndex: place }
        return { status: 'transferred' as const, to: payer, value: usdc(use.value), proof: paid }
      },
    },
    store: {
      ...made.store,
      smallRefundsDue: async (search: unknown) => {
        asked.push(search)
        return [account]
      },
      pendingRefundsOf: async () => pending,
      undecidedFrom: async () => undecidedFrom,
      loadRefund: async (nonce: Hex) =>
        Array.from({ length: known }, (_, place) => nonceAt(place)).includes(nonce)
          ? refundTransfer({ nonce })
          : undefined,
      batchSmallRefunds: async (paid: PendingRefunds, { nonce }: { readonly nonce: Hex }) => {
        if (isTaken) return { status: 'conflict' } as never
        sequences.push(paid.sequence)
        batched.push({ ids: paid.payments.map(({ id }) => id), nonce })
        const transfer = refundTransfer({ nonce, sequence: paid.sequence })
        made.disk.commit({ transfers: [transfer] })
        return { status: 'applied', transfer } as never
      },
    },
  }
  const round = async () =>
    await batchSmallRefunds({
      ...ports,
      confirmationsOf: async (settlement) => confirmations(settlement),
    })
  return { ...made, round, batched, sequences, searched, asked, nonceAt }
}

test('refunds are batched once they are worth a transfer, to the unit', async () => {
  const payments = [owed(1, 600n), owed(2, 400n)]
  const enough = owing({ payments })
  expect(await enough.round()).toBe(1)
  expect(enough.batched).toEqual([{ ids: payments.map(({ id }) => id), nonce: enough.nonceAt(0) }])
  expect(enough.asked).toEqual([{ createdUntil: start - day, least: 1_000n, limit: 1_000 }])
  const few = owing({ payments: [owed(1, 600n), owed(2, 399n)] })
  expect([await few.round(), few.batched]).toEqual([0, []])
})

test('refunds that have waited for long are batched, to the millisecond', async () => {
  const old = owing({ payments: [owed(1, 1n, { createdAt: start - day })] })
  expect(await old.round()).toBe(1)
  const young = owing({ payments: [owed(1, 1n, { createdAt: start - day + 1 })] })
  expect(await young.round()).toBe(0)
})

test('only refunds of confirmed payments are batched', async () => {
  const late = { settlement: { ...proof, block: 8 } } as Partial<PaymentRecord>
  const payments = [owed(1, 1_000n), owed(2, 1_000n, late), owed(3, 500n, { settlement: null })]
  const { round, batched } = owing({
    payments,
    confirmations: ({ block }) => (block === 8 ? 9 : 10),
  })
  expect(await round()).toBe(1)
  expect(batched[0]?.ids).toEqual([payments[0]?.id])
  const none = owing({ payments: [owed(1, 5_000n, { settlement: null })] })
  expect([await none.round(), none.searched, none.notices]).toEqual([0, [], []])
})

test('a batch that another replica made first is not counted', async () => {
  const taken = { payments: [owed(1, 1_000n)], isTaken: true }
  for (const onChain of [[], [{ value: 1_000n, block: 9 }]]) {
    const { round, notices } = owing({ ...taken, onChain })
    expect([await round(), notices]).toEqual([0, []])
  }
})

test('a payer whose refunds cannot be checked holds up no other', async () => {
  const { round, noticed } = owing({
    payments: [owed(1, 1_000n)],
    confirmations: () => {
      throw new Error('no answer')
    },
  })
  expect([await round(), noticed()]).toEqual([0, ['fault']])
})

test('the nonce is the first that neither ledger nor chain has used', async () => {
  const payments = [owed(1, 1_000n), owed(2, 1n, { settlement: { ...proof, block: 3 } })]
  const made = owing({ payments, known: 2, onChain: [null] })
  expect(await made.round()).toBe(1)
  expect(made.batched[0]?.nonce).toBe(made.nonceAt(3))
  expect(made.searched).toEqual([3, 3])
})

test('what an unrecorded transfer paid is booked and not paid again', async () => {
  const payments = [owed(1, 600n), owed(2, 400n), owed(3, 300n)]
  const made = owing({
    payments,
    onChain: [
      { value: 1_000n, block: 9 },
      { value: 300n, block: 9 },
    ],
  })
  expect(await made.round()).toBe(2)
  expect(made.batched).toEqual([
    { ids: [payments[0]?.id, payments[1]?.id], nonce: made.nonceAt(0) },
    { ids: [payments[2]?.id], nonce: made.nonceAt(1) },
  ])
  expect(made.sequences).toEqual([7, 8])
  expect(made.notices).toMatchObject([
    { type: 'refund_found', value: 1_000n, transfer: { status: 'confirmed' } },
    { type: 'refund_found', value: 300n, transfer: { status: 'confirmed' } },
  ])
})

test('an unrecorded transfer also paid refunds whose payments seem unconfirmed now', async () => {
  const late = { settlement: { ...proof, block: 8 } } as Partial<PaymentRecord>
  const payments = [owed(1, 1_000n), owed(2, 400n, late)]
  const made = owing({
    payments,
    confirmations: ({ block }) => (block === 8 ? 1 : 10),
    onChain: [{ value: 1_400n, block: 9 }],
  })
  expect(await made.round()).toBe(1)
  expect(made.batched[0]?.ids).toEqual(payments.map(({ id }) => id))
})

test.each([
  [null, 1],
  [10, 1],
  [9, 0],
  [2, 0],
] as const)(
  'a transfer in block 9 that paid more, with an undecided payment of block %s: %d booked',
  async (undecidedFrom, booked) => {
    const made = owing({
      payments: [owed(1, 1_000n)],
      onChain: [{ value: 1_200n, block: 9 }],
      undecidedFrom,
    })
    expect(await made.round()).toBe(booked)
    expect(made.batched).toHaveLength(booked)
  },
)

test('a transfer that is explained to the unit is booked, whatever is undecided', async () => {
  const payments = [owed(1, 1_000n)]
  const made = owing({ payments, onChain: [{ value: 1_000n, block: 9 }], undecidedFrom: 2 })
  expect(await made.round()).toBe(1)
})

test('the latest of the unrecorded transfers decides what may be undecided', async () => {
  const onChain = [
    { value: 1_200n, block: 9 },
    { value: 50n, block: 6 },
  ]
  const made = owing({ payments: [owed(1, 1_000n)], onChain, undecidedFrom: 8 })
  expect([await made.round(), made.batched]).toEqual([0, []])
})

test('a transfer that paid none of them uses up its nonce, and they are paid with the next', async () => {
  const payments = [owed(1, 1_000n)]
  const made = owing({ payments, onChain: [{ value: 300n, block: 9 }] })
  expect(await made.round()).toBe(1)
  expect(made.batched).toEqual([{ ids: [payments[0]?.id], nonce: made.nonceAt(1) }])
  expect(made.notices).toEqual([])
})

test('a payment that was not settled was not refunded by an unrecorded transfer', async () => {
  const unsettled = owed(2, 200n, { settlement: null })
  const payments = [owed(1, 1_000n), unsettled]
  const made = owing({ payments, onChain: [{ value: 1_200n, block: 9 }] })
  expect(await made.round()).toBe(1)
  expect(made.batched[0]?.ids).toEqual([payments[0]?.id])
})
