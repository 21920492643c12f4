import type { PaymentRecord, RefundTransfer, TransferProof } from '@farebox/ledger'
import type { AuthorizationUse } from '../chain/chain.ts'
import { blockRefund } from './refund-parking.ts'
import { advanceRefund, postponeRefund, type RefundPorts } from './refund-ports.ts'

/** What the chain's logs say of a refund's nonce: the only judge of whether it was paid. */
export async function readRefund(
  { chain, signer }: RefundPorts,
  refundTransfer: RefundTransfer,
  payments: readonly PaymentRecord[],
): Promise<AuthorizationUse> {
  const blocks = payments.map(({ settlement, intentBlock }) => settlement?.block ?? intentBlock)
  return await chain.authorizationUse({
    asset: refundTransfer.asset,
    from: signer.treasury,
    nonce: refundTransfer.nonce,
    fromBlock: Math.min(...blocks),
    hint: refundTransfer.transaction,
  })
}

/** Books a refund that the chain holds, whoever sent it and whenever. */
export async function bookTransfer(
  ports: RefundPorts,
  refundTransfer: RefundTransfer,
  use: Extract<AuthorizationUse, { readonly status: 'transferred' }>,
): Promise<void> {
  if (use.to !== refundTransfer.payer) {
    await blockRefund(ports, refundTransfer, {
      reason: 'nonce_used_elsewhere',
      found: refundTransfer,
    })
    return
  }
  const wasSent = ['signed', 'submitted', 'confirmed'].includes(refundTransfer.status)
  const booked = await advanceRefund(ports, refundTransfer, {
    type: 'confirmed',
    proof: use.proof,
    at: ports.clock(),
  })
  if (booked === undefined) return
  if (!wasSent || use.value !== refundTransfer.amount) {
    ports.notify({ type: 'refund_found', refundTransfer: booked, value: use.value })
  }
  ports.notify({ type: 'refund_confirmed', refundTransfer: booked })
  await postponeRefund(ports, booked, ports.pollMs)
}

/** Waits until no reorganisation can undo a refund; one that vanished is sent again. */
export async function checkRefund(
  ports: RefundPorts,
  refundTransfer: RefundTransfer,
  round: {
    readonly payments: readonly PaymentRecord[]
    readonly depthOf: (proof: TransferProof) => Promise<number | 'gone'>
  },
): Promise<void> {
  const { proof } = refundTransfer
  const depth = proof === null ? 'gone' : await round.depthOf(proof)
  if (depth === 'gone') {
    await followRefund(ports, refundTransfer, round.payments)
  } else if (depth + 1 >= ports.finalConfirmations) {
    await advanceRefund(ports, refundTransfer, { type: 'final', at: ports.clock() })
  } else {
    await postponeRefund(ports, refundTransfer, ports.watchMs)
  }
}

/**
 * The same nonce in another block is the same refund; no log at all means: once more. The old place
 * is given up first, since another refund of the same transaction may have moved there.
 */
async function followRefund(
  ports: RefundPorts,
  refundTransfer: RefundTransfer,
  payments: readonly PaymentRecord[],
): Promise<void> {
  const use = await readRefund(ports, refundTransfer, payments)
  const lost = await advanceRefund(ports, refundTransfer, { type: 'lost', at: ports.clock() })
  if (lost === undefined) return
  ports.notify({ type: 'refund_lost', refundTransfer: lost })
  if (use.status === 'transferred') await bookTransfer(ports, lost, use)
  else await postponeRefund(ports, lost, 0)
}
