import type { LedgerStore, PaymentRecord, RefundTransfer } from '@farebox/ledger'

export type PaymentLoader = { readonly store: Pick<LedgerStore, 'load'> }

/** The payments that a transfer refunds. */
export async function loadPayments(
  { store }: PaymentLoader,
  transfer: RefundTransfer,
): Promise<readonly PaymentRecord[]> {
  const payments = await Promise.all(transfer.payments.map((id) => store.load(id)))
  return payments.filter((payment) => payment !== undefined)
}
