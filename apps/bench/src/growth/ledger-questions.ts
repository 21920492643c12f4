import type { LedgerStore, PaymentRecord } from '@farebox/ledger'
import { atomicUsdc } from '@farebox/money'

const dayMs = 86_400_000
const hourMs = 3_600_000

/** A query to a ledger, and the part of the gateway that makes it. */
export type Question = {
  readonly asker: 'console' | 'rounds' | 'requests' | 'export'
  readonly name: string
  readonly ask: (store: LedgerStore) => Promise<unknown>
}

/**
 * The questions of the console's pages, of what runs every few seconds, and of a request whose
 * payer has bought before. `known` is any payment with a refund; `now` is in milliseconds since
 * 1970.
 */
export function ledgerQuestions(known: PaymentRecord, now: number): readonly Question[] {
  return [
    ...consoleQuestions(known, now),
    ...roundQuestions(now),
    ...requestQuestions(now),
    exported,
  ]
}

/** The payer of a twentieth of all payments. */
const busiest = `0xfa${'0'.repeat(38)}` as const
const asset = `0x${'a5'.repeat(20)}` as const

function consoleQuestions(
  { id, model, settlement }: PaymentRecord,
  now: number,
): readonly Question[] {
  const always = { from: 0, to: now + dayMs, limit: 50 }
  const tomorrow = now - (now % dayMs) + dayMs
  const month = { from: tomorrow - 30 * dayMs, to: tomorrow, now }
  const asked: Readonly<Record<string, Question['ask']>> = {
    'revenue of 30 days, first': (store) => store.revenueByDay(month),
    'revenue of 30 days, later': (store) => store.revenueByDay(month),
    owed: (store) => store.owed(),
    'totals of refunds': (store) => store.pendingRefundTotals(),
    'the newest payments': (store) => store.searchPayments(always),
    'payments half a year ago': (store) =>
      store.searchPayments({ ...always, to: now - 182 * dayMs }),
    'payments of the busiest payer': (store) => store.searchPayments({ ...always, payer: busiest }),
    'payments of a model': (store) => store.searchPayments({ ...always, model }),
    'failed payments': (store) => store.searchPayments({ ...always, status: 'failed' }),
    'failed payments of the busiest payer': (store) =>
      store.searchPayments({ ...always, status: 'failed', payer: busiest }),
    'void payments of the busiest payer and a model': (store) =>
      store.searchPayments({ ...always, status: 'void', payer: busiest, model }),
    'payments being served': (store) => store.searchPayments({ ...always, status: 'serving' }),
    'payments of a transaction': (store) =>
      store.paymentsOfTransaction(settlement?.transaction ?? '0x'),
    'a payment’s entries': (store) => store.entriesOf(id),
    'blocked refunds': (store) => store.searchRefunds({ status: 'blocked', limit: 50 }),
  }
  return Object.entries(asked).map(([name, ask]) => ({ asker: 'console', name, ask }))
}

function roundQuestions(now: number): readonly Question[] {
  const lease = { owner: 'bench', now, until: now, limit: 500 }
  const asked: Readonly<Record<string, Question['ask']>> = {
    'unfinished payments': (store) => store.leaseUnfinished({ ...lease, limit: 100 }),
    'refunds to send or check': (store) => store.leaseRefunds(lease),
    'small refunds that are due': (store) =>
      store.smallRefundsDue({ createdUntil: now - dayMs, least: 50_000n, limit: 1_000 }),
    'small refunds of the busiest payer': (store) =>
      store.pendingRefundsOf({ payer: busiest, chainId: 8453, asset }),
    'what the treasury owes': (store) => store.unsentRefunds(),
    'refunds of an hour': (store) => store.refundedSince(now - hourMs),
    'totals of channels': (store) => store.channelTotals(),
    'channels to claim from': (store) =>
      store.leaseChannels({ due: 'claim', above: atomicUsdc(10_000n), before: now - dayMs }, lease),
    'channels to close': (store) =>
      store.leaseChannels({ due: 'close', above: atomicUsdc(10_000_000n), before: 0 }, lease),
    'what may be deleted': (store) => store.prune({ now, unpaidBefore: now - 60 * dayMs }),
    'a durable write': (store) => store.ping(),
  }
  return Object.entries(asked).map(([name, ask]) => ({ asker: 'rounds', name, ask }))
}

function requestQuestions(now: number): readonly Question[] {
  const payer = { chainId: 8453, asset, from: busiest } as const
  const asked: Readonly<Record<string, Question['ask']>> = {
    'what the busiest payer spent in a day': (store) =>
      store.payerSpending({ payer, requestsSince: now - hourMs, spentSince: now - dayMs }),
    'what of it is open': (store) => store.openPayments(payer),
    'its faults': (store) => store.payerFaults({ subject: busiest, now }),
  }
  return Object.entries(asked).map(([name, ask]) => ({ asker: 'requests', name, ask }))
}

const exportedPayments = 10_000

const exported: Question = {
  asker: 'export',
  name: `${exportedPayments.toLocaleString('en')} payments exported`,
  ask: async (store) => {
    let count = 0
    for await (const _ of store.exportPayments()) {
      count += 1
      if (count === exportedPayments) break
    }
  },
}
