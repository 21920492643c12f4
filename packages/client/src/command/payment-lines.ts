import type { PaymentBody } from '@farebox/api'
import { formatUsdc } from '@farebox/money'
import type { PaymentReceipt } from '../pay/payment-receipt.ts'

/** Formats a receipt as one line. */
export function receiptLine(receipt: PaymentReceipt): string {
  const paid = receipt.paid === undefined ? 'paid' : `paid ${formatUsdc(receipt.paid)} USDC`
  return [paid, receipt.transaction, receipt.paymentId && `payment ${receipt.paymentId}`]
    .filter((part) => part !== undefined)
    .join(', ')
}

/** Formats a payment record as a few lines. */
export function paymentLines(payment: PaymentBody): string {
  const refund =
    payment.refund === null
      ? 'none'
      : `${dollars(payment.refund)} (${payment.refund.status}${payment.refund.transaction === null ? '' : `, ${payment.refund.transaction}`})`
  return [
    `payment    ${payment.id}`,
    `status     ${payment.status}`,
    `model      ${payment.model}`,
    `payer      ${payment.payer} on ${payment.network}`,
    `paid       ${dollars(payment.paid)}${payment.settlement === null ? '' : ` (${payment.settlement.transaction})`}`,
    `cost       ${payment.cost === null ? 'not known yet' : dollars(payment.cost)}`,
    `refund     ${refund}`,
  ].join('\n')
}

function dollars({ usd }: { readonly usd: string }): string {
  return `$${usd}`
}
