import type { PaymentRecord } from '@farebox/ledger'
import type { Attributes } from '@opentelemetry/api'

/** A payment as attributes: amounts in atomic units of USDC, no signatures. */
export function paymentAttributes(payment: PaymentRecord): Attributes {
  const { id, status, network, authorization, cost, refund, reason, settlement } = payment
  return {
    'farebox.payment.id': id,
    'farebox.payment.status': status,
    'farebox.payment.network': network,
    'farebox.payment.paid': Number(authorization.value),
    ...(cost !== null && { 'farebox.payment.cost': Number(cost) }),
    ...(refund !== null && { 'farebox.payment.refund': Number(refund.amount) }),
    ...(reason !== null && { 'farebox.payment.reason': reason }),
    ...(settlement !== null && { 'farebox.payment.transaction': settlement.transaction }),
  }
}
