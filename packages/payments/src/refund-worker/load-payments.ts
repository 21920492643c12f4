import type { PaymentRecord, RefundTransfer } from '@farebox/ledger'
import type { RefundPorts } from './refund-ports.ts'

/** The payments that a transfer refunds. */
export async function loadPayments(
  { store }: Pick<RefundPorts, 'store'>,
  transfer: RefundTransfer,
): Promise<readonly PaymentRecord[]> {
  const payments = await Promise.all(transfer.payments.map((id) => store.load(id)))
  return payments.filter((payment): payment is PaymentRecord => payment !== undefined)
}
