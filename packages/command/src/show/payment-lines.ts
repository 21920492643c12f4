import type { PaymentBody } from '@farebox/api'

/** What a call cost, as one line. */
export function costLine({ id, paid, cost, refund }: PaymentBody): string {
  const parts = [
    cost === null ? undefined : `cost ${cost.usd} USDC`,
    `paid ${paid.usd}`,
    refund === null ? undefined : refundText(refund),
    id,
  ]
  return parts.filter((part) => part !== undefined).join(', ')
}

/** A payment record as a few lines; `chain` is what its chain is called. */
export function paymentLines(payment: PaymentBody, chain: string): string {
  const { settlement, cost, refund } = payment
  return [
    `payment    ${payment.id}`,
    `status     ${payment.status}`,
    `model      ${payment.model}`,
    `payer      ${payment.payer} on ${chain}`,
    `paid       ${payment.paid.usd} USDC${settlement === null ? '' : ` in ${settlement.transaction}`}`,
    `cost       ${cost === null ? 'not known yet' : `${cost.usd} USDC`}`,
    `refund     ${refund === null ? 'none' : refundText(refund)}`,
  ].join('\n')
}

type Refund = NonNullable<PaymentBody['refund']>

function refundText({ usd, status, transaction }: Refund): string {
  const where = transaction === null ? '' : ` in ${transaction}`
  switch (status) {
    case 'confirmed':
      return `refunded ${usd}${where}`
    case 'due':
    case 'submitted':
      return `refund of ${usd} on its way${where}`
    case 'accruing':
      return `refund of ${usd} kept until it is worth the gas`
    case 'released':
      return `${usd} left in the channel`
    case 'blocked':
      return `refund of ${usd} blocked: ask the operator`
  }
}
