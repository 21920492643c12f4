import type { PaymentBody } from '@farebox/api'
import type { ComponentChildren, VNode } from 'preact'
import { exactDollars } from '../parts/format-amount.ts'
import { facts } from '../service/facts.ts'
import type { Sale } from './sale.ts'

type Step = {
  readonly title: string
  readonly state: 'done' | 'now' | 'ahead' | 'bad'
  readonly detail?: ComponentChildren
}

/** The stages of a payment: quote, signature, settlement, answer, refund. */
export function PaymentTimeline({ sale }: { readonly sale: Sale }): VNode {
  const steps = [
    quoteStep(sale),
    signatureStep(sale),
    settlementStep(sale),
    answerStep(sale),
    refundStep(sale),
  ]
  return (
    <ol class="timeline" aria-label="The payment">
      {steps.map(({ title, state, detail }) => (
        <li class={state} aria-current={state === 'now' ? 'step' : undefined}>
          <strong>{title}</strong>
          {detail !== undefined && <span>{detail}</span>}
        </li>
      ))}
    </ol>
  )
}

function quoteStep({ stage, quote }: Sale): Step {
  if (quote)
    return { title: 'Quote', state: 'done', detail: `at most ${exactDollars(quote.maximum.usd)}` }
  return { title: 'Quote', state: stage === 'pricing' ? 'now' : 'ahead' }
}

function signatureStep({ stage, payer }: Sale): Step {
  if (stage === 'signing') return { title: 'Signature', state: 'now' }
  if (payer === undefined) return { title: 'Signature', state: 'ahead' }
  return { title: 'Signature', state: 'done', detail: <code>{short(payer)}</code> }
}

function settlementStep({ stage, payment }: Sale): Step {
  const settlement = payment?.settlement
  if (payment?.status === 'rejected' || payment?.status === 'void') {
    return { title: 'Settlement', state: 'bad', detail: 'no money moved' }
  }
  if (settlement) {
    const detail = (
      <>
        {exactDollars(payment.paid.usd)} paid <Transaction hash={settlement.transaction} />
      </>
    )
    return { title: 'Settlement', state: 'done', detail }
  }
  return { title: 'Settlement', state: stage === 'paying' ? 'now' : 'ahead' }
}

function answerStep({ stage, payment }: Sale): Step {
  const cost = payment?.cost
  if (cost) {
    const state = payment.status === 'failed' ? 'bad' : 'done'
    return { title: 'Answer', state, detail: `cost ${exactDollars(cost.usd)}` }
  }
  return { title: 'Answer', state: stage === 'answering' ? 'now' : 'ahead' }
}

const refundWords: Readonly<Record<string, string>> = {
  due: 'on its way',
  submitted: 'on its way',
  accruing: 'added to your next refund, since it is small',
  confirmed: 'received',
  blocked: 'held back; the operator decides',
  released: 'left in your channel',
}

function refundStep({ payment }: Sale): Step {
  const refund = payment?.refund
  if (!refund) {
    const isPaidExactly = payment?.cost && ['completed', 'failed'].includes(payment.status)
    if (isPaidExactly) return { title: 'Refund', state: 'done', detail: 'nothing is left over' }
    return { title: 'Refund', state: 'ahead' }
  }
  const detail = (
    <>
      {exactDollars(refund.usd)} {refundWords[refund.status] ?? refund.status}{' '}
      {refund.transaction !== null && <Transaction hash={refund.transaction} />}
    </>
  )
  return { title: 'Refund', state: refundState(refund.status), detail }
}

function refundState(status: NonNullable<PaymentBody['refund']>['status']): Step['state'] {
  if (status === 'blocked') return 'bad'
  return status === 'due' || status === 'submitted' ? 'now' : 'done'
}

const explorers = {
  base: 'https://basescan.org/tx/',
  'base-sepolia': 'https://sepolia.basescan.org/tx/',
  devnet: undefined,
} as const

/** A transaction, with a link to the explorer of its chain. */
function Transaction({ hash }: { readonly hash: string }): VNode {
  const explorer = explorers[facts.network]
  if (explorer === undefined) return <code title={hash}>{short(hash)}</code>
  return (
    <a href={explorer + hash} target="_blank" rel="noopener noreferrer">
      <code>{short(hash)}</code>
    </a>
  )
}

function short(hex: string): string {
  return `${hex.slice(0, 8)}…${hex.slice(-4)}`
}
