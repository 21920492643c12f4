import type { PaymentRecord, RefundTransfer } from '@farebox/ledger'
import type { AuthorizationUse } from '../chain/chain.ts'
import type { RefundPorts } from './refund-ports.ts'

/** What the chain's logs show for a refund's nonce: they alone decide whether it was paid. */
export async function readRefund(
  { chain, signer }: RefundPorts,
  transfer: RefundTransfer,
  payments: readonly PaymentRecord[],
): Promise<AuthorizationUse> {
  const blocks = payments.map(({ settlement, intentBlock }) => settlement?.block ?? intentBlock)
  return await chain.authorizationUse({
    asset: transfer.asset,
    from: signer.treasury,
    nonce: transfer.nonce,
    fromBlock: Math.min(...blocks),
    hint: transfer.transaction,
  })
}
