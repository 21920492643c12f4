import type { PaymentRecord, Payout, TransferProof } from '@farebox/ledger'
import type { AuthorizationUse } from '../chain/chain.ts'
import { blockPayout } from './refund-parking.ts'
import { advancePayout, postponePayout, type RefundPorts } from './refund-ports.ts'

/** What the chain's logs say of a refund's nonce: the only judge of whether it was paid. */
export async function readPayout(
  { chain, signer }: RefundPorts,
  payout: Payout,
  payments: readonly PaymentRecord[],
): Promise<AuthorizationUse> {
  const blocks = payments.map(({ settlement, intentBlock }) => settlement?.block ?? intentBlock)
  return await chain.authorizationUse({
    asset: payout.asset,
    from: signer.treasury,
    nonce: payout.nonce,
    fromBlock: Math.min(...blocks),
    hint: payout.transaction,
  })
}

/** Books a refund that the chain holds, whoever sent it and whenever. */
export async function bookTransfer(
  ports: RefundPorts,
  payout: Payout,
  use: Extract<AuthorizationUse, { readonly status: 'transferred' }>,
): Promise<void> {
  if (use.to !== payout.payer) {
    await blockPayout(ports, payout, { reason: 'nonce_used_elsewhere', found: payout })
    return
  }
  const wasSent = ['signed', 'submitted', 'confirmed'].includes(payout.status)
  const booked = await advancePayout(ports, payout, {
    type: 'confirmed',
    proof: use.proof,
    at: ports.clock(),
  })
  if (booked === undefined) return
  if (!wasSent || use.value !== payout.amount) {
    ports.notify({ type: 'refund_found', payout: booked, value: use.value })
  }
  ports.notify({ type: 'refund_confirmed', payout: booked })
  await postponePayout(ports, booked, ports.pollMs)
}

/** Waits until no reorganisation can undo a refund; one that vanished is sent again. */
export async function watchPayout(
  ports: RefundPorts,
  payout: Payout,
  round: {
    readonly payments: readonly PaymentRecord[]
    readonly depthOf: (proof: TransferProof) => Promise<number | 'gone'>
  },
): Promise<void> {
  const { proof } = payout
  const depth = proof === null ? 'gone' : await round.depthOf(proof)
  if (depth === 'gone') {
    await followPayout(ports, payout, round.payments)
  } else if (depth + 1 >= ports.finalConfirmations) {
    await advancePayout(ports, payout, { type: 'final', at: ports.clock() })
  } else {
    await postponePayout(ports, payout, ports.watchMs)
  }
}

/**
 * The same nonce in another block is the same refund; no log at all means: once more. The old place
 * is given up first, since another refund of the same transaction may have moved there.
 */
async function followPayout(
  ports: RefundPorts,
  payout: Payout,
  payments: readonly PaymentRecord[],
): Promise<void> {
  const use = await readPayout(ports, payout, payments)
  const lost = await advancePayout(ports, payout, { type: 'lost', at: ports.clock() })
  if (lost === undefined) return
  ports.notify({ type: 'refund_lost', payout: lost })
  if (use.status === 'transferred') await bookTransfer(ports, lost, use)
  else await postponePayout(ports, lost, 0)
}
