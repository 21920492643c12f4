import { atomicUsdc } from '@farebox/money'
import fc from 'fast-check'
import {
  bookErrors,
  exported,
  hex,
  listed,
  newPayment,
  proof,
  refundNonce,
  start,
} from '../../src/conformance/fixtures.ts'
import type { LedgerStore, PaymentEvent, PaymentId, RefundTransferEvent } from '../../src/index.ts'

/** One call to a store. Small numbers stand for payments and refund transfers. */
export type Step =
  | { readonly call: 'claim'; readonly payment: number; readonly authorization: number }
  | {
      readonly call: 'apply'
      readonly payment: number
      readonly event: number
      readonly cost: number
    }
  | {
      readonly call: 'apply to an outdated version'
      readonly payment: number
      readonly event: number
    }
  | { readonly call: 'apply to a refund'; readonly transfer: number; readonly event: number }
  | { readonly call: 'batch'; readonly transfer: number }
  | { readonly call: 'lease'; readonly owner: 'a' | 'b'; readonly now: number }

const payments = 2
const small = (below: number): fc.Arbitrary<number> => fc.integer({ min: 0, max: below - 1 })

export const randomSteps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        call: fc.constant('claim' as const),
        payment: small(payments),
        authorization: small(payments),
      }),
    },
    {
      weight: 12,
      arbitrary: fc.record({
        call: fc.constant('apply' as const),
        payment: small(payments),
        event: small(9),
        cost: small(1_002),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        call: fc.constant('apply to an outdated version' as const),
        payment: small(payments),
        event: small(9),
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        call: fc.constant('apply to a refund' as const),
        transfer: small(2 * payments),
        event: small(9),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ call: fc.constant('batch' as const), transfer: small(payments) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        call: fc.constant('lease' as const),
        owner: fc.constantFrom('a' as const, 'b' as const),
        now: small(60),
      }),
    },
  ),
  { minLength: 30, maxLength: 120, size: 'max' },
)

/** Every result of a store and its final contents as text, equal for equal stores. */
export async function transcriptOf(
  store: LedgerStore,
  steps: readonly Step[],
): Promise<readonly string[]> {
  const results: string[] = []
  for (const [index, step] of steps.entries()) {
    const result = await takeStep(store, step, index)
    results.push(`${index} ${asText(step)}: ${asText(result)}`)
  }
  results.push(asText(await exported(store)), asText(await listed(store.exportRefunds())))
  results.push(
    asText(await store.unsentRefunds()),
    asText(await store.refundedSince(start)),
    asText(await bookErrors(store)),
  )
  return results
}

/** The result of one step, or the code of its error. Each step takes one second. */
export async function takeStep(store: LedgerStore, step: Step, index: number): Promise<unknown> {
  return take(store, step, start + 1_000 * index).catch(codeOf)
}

async function take(store: LedgerStore, step: Step, at: number): Promise<unknown> {
  switch (step.call) {
    case 'claim': {
      const { authorization } = newPayment(step.authorization)
      return store.claim(newPayment(step.payment, { authorization }))
    }
    case 'apply': {
      const payment = await store.load(idOf(step.payment))
      const event = paymentEvent(step, at)
      return payment === undefined ? 'none' : store.apply(payment, event)
    }
    case 'apply to an outdated version': {
      const payment = await store.load(idOf(step.payment))
      if (payment === undefined) return 'none'
      const old = { ...payment, version: payment.version - 1 }
      return store.apply(old, paymentEvent({ ...step, cost: 1 }, at))
    }
    case 'apply to a refund': {
      const transfer = await store.loadRefund(refundNonce(step.transfer))
      return transfer === undefined
        ? 'none'
        : store.applyToRefund(transfer, refundTransferEvent(step, at))
    }
    case 'batch': {
      const [payer] = await store.smallRefundsDue({ createdUntil: 0, least: 0n, limit: 9 })
      const pending = payer && (await store.pendingRefundsOf(payer))
      const nonce = refundNonce(payments + step.transfer)
      return pending === undefined ? 'none' : store.batchSmallRefunds(pending, { nonce, at })
    }
    case 'lease': {
      const now = start + 1_000 * step.now
      const request = { owner: step.owner, now, until: now + 5_000, limit: 2 }
      return [await store.leaseUnfinished(request), await store.leaseRefunds(request)]
    }
  }
}

function idOf(payment: number): PaymentId {
  return newPayment(payment).id
}

function paymentEvent(
  {
    payment,
    event,
    cost,
  }: { readonly payment: number; readonly event: number; readonly cost: number },
  at: number,
): PaymentEvent {
  const plan =
    cost % 2 === 0
      ? ({ kind: 'batch' } as const)
      : ({ kind: 'transfer', nonce: refundNonce(payment) } as const)
  const choices: readonly PaymentEvent[] = [
    { type: 'settlement_proven', proof: proof(payment, 100 + (cost % 7)), at },
    { type: 'service_started', at },
    { type: 'service_completed', cost: atomicUsdc(BigInt(cost)), usage: null, refund: plan, at },
    { type: 'service_failed', reason: 'upstream_failed', refund: plan, at },
    { type: 'settlement_unknown', reason: 'timeout', hint: null, at },
    { type: 'settlement_lost', at },
    { type: 'settlement_final', at },
    { type: 'settlement_rejected', reason: 'insufficient_funds', at },
    { type: 'authorization_expired', at },
  ]
  return choices[event] ?? { type: 'settlement_lost', at }
}

function refundTransferEvent(
  { transfer, event }: { readonly transfer: number; readonly event: number },
  at: number,
): RefundTransferEvent {
  const nextAttemptAt = at + 5_000
  const choices: readonly RefundTransferEvent[] = [
    { type: 'signed', signature: '0xab', validBefore: start / 1000 + 20, at },
    { type: 'submitted', transaction: hex(transfer, 32), at },
    {
      type: 'confirmed',
      proof: proof(500 + transfer, 130),
      ...(transfer % 2 === 0 && { nextAttemptAt }),
      at,
    },
    { type: 'final', at },
    { type: 'lost', at },
    { type: 'blocked', reason: 'blacklisted_payee', nextAttemptAt, at },
    { type: 'postponed', nextAttemptAt, at },
    { type: 'unblocked', at },
    { type: 'written_off', at },
  ]
  return choices[event] ?? { type: 'lost', at }
}

export function codeOf(error: unknown): string {
  const code: unknown = typeof error === 'object' && error !== null && Reflect.get(error, 'code')
  if (typeof code === 'string') return code
  throw error
}

/** Sorts keys, because stores may build their records in any order. */
export function asText(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'bigint') return `${part}n`
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
    return Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  })
}
