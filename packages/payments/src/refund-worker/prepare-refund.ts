import type { PaymentRecord, RefundTransfer, TransferProof } from '@farebox/ledger'
import type { SignedRefund } from '../chain/chain.ts'
import { watchSettlement } from '../settlement/watch-settlement.ts'
import { blockRefund, parkAlone, parkRefund } from './refund-parking.ts'
import { advanceRefund, postponeRefund, type RefundPorts } from './refund-ports.ts'
import { bookTransfer, readRefund } from './track-refund.ts'
import { recordWriteOff } from './write-off.ts'

/** A refund that may be sent now, as far as reading the chain can tell. */
export type ReadyRefund = {
  readonly refundTransfer: RefundTransfer
  readonly refund: SignedRefund
  readonly payments: readonly PaymentRecord[]
}

/** What the refunds of one round share. */
export type RefundRoundState = {
  readonly depthOf: (proof: TransferProof) => Promise<number | 'gone'>
  /** Takes an amount from what the treasury holds and from what may leave it in this hour. */
  readonly spend: (
    refundTransfer: RefundTransfer,
  ) => Promise<'granted' | 'treasury_empty' | 'hourly_cap'>
}

/**
 * Brings a refund to the point where it can be sent; undefined when it has to wait, cannot be
 * delivered or was paid already. Nothing leaves before it is signed in the ledger.
 */
export async function prepareRefund(
  ports: RefundPorts,
  refundTransfer: RefundTransfer,
  round: RefundRoundState & { readonly payments: readonly PaymentRecord[] },
): Promise<ReadyRefund | undefined> {
  const { payments } = round
  if (refundTransfer.status === 'signed' || refundTransfer.status === 'submitted') {
    if (await isSettledOrPending(ports, refundTransfer, payments)) return undefined
  }
  if (ports.maxRefund !== null && refundTransfer.amount > ports.maxRefund) {
    await blockRefund(ports, refundTransfer, { reason: 'refund_cap', found: refundTransfer })
    return undefined
  }
  if (!(await areSettlementsDeep(ports, refundTransfer, round))) return undefined
  if (!ports.breaker.admits()) {
    await parkRefund(ports, refundTransfer)
    return undefined
  }
  const grant = await round.spend(refundTransfer)
  if (grant === 'treasury_empty') {
    await bookOrPark(ports, refundTransfer, payments)
    return undefined
  }
  if (grant === 'hourly_cap') {
    ports.breaker.trip(grant)
    await parkRefund(ports, refundTransfer)
    return undefined
  }
  const signed = await signRefund(ports, refundTransfer)
  return signed === undefined
    ? undefined
    : await probeRefund(ports, signed, { payments, found: refundTransfer })
}

/** A refund that may be under way is looked up by its nonce before anything is sent again. */
async function isSettledOrPending(
  ports: RefundPorts,
  refundTransfer: RefundTransfer,
  payments: readonly PaymentRecord[],
): Promise<boolean> {
  const use = await readRefund(ports, refundTransfer, payments)
  if (use.status === 'transferred') {
    await bookTransfer(ports, refundTransfer, use)
    return true
  }
  if (use.status === 'canceled') {
    await blockRefund(ports, refundTransfer, {
      reason: 'authorization_canceled',
      found: refundTransfer,
    })
    return true
  }
  if (refundTransfer.status !== 'submitted') return false
  // Looks after twice the time of the last look, until it is time to send the same bytes again.
  const lastPause = Math.max(0, refundTransfer.nextAttemptAt - refundTransfer.updatedAt)
  if (lastPause * 2 > ports.resendMs) return false
  await postponeRefund(ports, refundTransfer, Math.max(lastPause * 2, ports.pollMs))
  return true
}

/** It cannot be paid, but after a restored backup it may have been paid already. */
async function bookOrPark(
  ports: RefundPorts,
  refundTransfer: RefundTransfer,
  payments: readonly PaymentRecord[],
): Promise<void> {
  const use = await readRefund(ports, refundTransfer, payments)
  if (use.status === 'transferred') await bookTransfer(ports, refundTransfer, use)
  else await parkAlone(ports, refundTransfer, 'treasury_empty')
}

/** A refund never outruns the payment it comes from. */
async function areSettlementsDeep(
  ports: RefundPorts,
  refundTransfer: RefundTransfer,
  round: RefundRoundState & { readonly payments: readonly PaymentRecord[] },
): Promise<boolean> {
  for (const payment of round.payments) {
    const watched = await watchSettlement(ports, payment, round.depthOf)
    if (watched.status === 'lost') {
      await holdLostRefund(ports, refundTransfer, round.payments)
      return false
    }
    if (watched.depth + 1 < ports.confirmations) {
      await postponeRefund(ports, refundTransfer, ports.pollMs)
      return false
    }
  }
  return true
}

/**
 * Money that did not come is not given back; it may come again until its time is over. A sum of
 * which only a part was lost waits for the operator.
 */
async function holdLostRefund(
  ports: RefundPorts,
  refundTransfer: RefundTransfer,
  payments: readonly PaymentRecord[],
): Promise<void> {
  const canEnd =
    refundTransfer.validBefore === null || refundTransfer.validBefore * 1000 < ports.clock()
  const isOver = payments.every(
    ({ settlement, payload }) => settlement === null && payload === null,
  )
  if (isOver && canEnd && refundTransfer.status === 'blocked') {
    await recordWriteOff(ports, refundTransfer)
  } else {
    await blockRefund(ports, refundTransfer, { reason: 'settlement_lost', found: refundTransfer })
  }
}

type SignedRefundTransfer = {
  readonly refundTransfer: RefundTransfer
  readonly refund: SignedRefund
}

/** How long a signature must still be valid to be sent. */
const leastValiditySeconds = 600

/** The signature in force, or another one over the same nonce and amount, durable before it is used. */
async function signRefund(
  ports: RefundPorts,
  refundTransfer: RefundTransfer,
): Promise<SignedRefundTransfer | undefined> {
  const now = Math.floor(ports.clock() / 1000)
  const { signature, validBefore } = refundTransfer
  const inForce = validBefore !== null && validBefore > now + leastValiditySeconds
  if (signature !== null && inForce) {
    return {
      refundTransfer,
      refund: { ...transferOf(ports, refundTransfer, validBefore), signature },
    }
  }
  const unsigned = await backToUnsigned(ports, refundTransfer)
  if (unsigned === undefined) return undefined
  const transfer = transferOf(ports, unsigned, now + ports.validitySeconds)
  const refund = { ...transfer, signature: await ports.signer.sign(transfer) }
  const signed = await advanceRefund(ports, unsigned, {
    type: 'signed',
    signature: refund.signature,
    validBefore: refund.validBefore,
    at: ports.clock(),
  })
  return signed === undefined ? undefined : { refundTransfer: signed, refund }
}

async function backToUnsigned(
  ports: RefundPorts,
  refundTransfer: RefundTransfer,
): Promise<RefundTransfer | undefined> {
  const at = ports.clock()
  switch (refundTransfer.status) {
    case 'blocked':
      return await advanceRefund(ports, refundTransfer, { type: 'unblocked', at })
    case 'submitted':
      return await advanceRefund(ports, refundTransfer, { type: 'lost', at })
    default:
      return refundTransfer
  }
}

function transferOf(
  { signer }: RefundPorts,
  { nonce, asset, payer, amount }: RefundTransfer,
  validBefore: number,
): Omit<SignedRefund, 'signature'> {
  return {
    nonce,
    asset,
    from: signer.treasury,
    to: payer,
    value: amount,
    validAfter: 0,
    validBefore,
  }
}

type Probe = { readonly payments: readonly PaymentRecord[]; readonly found: RefundTransfer }

/** Asks the chain whether the refund would pass now, so that no gas is spent on one that would not. */
async function probeRefund(
  ports: RefundPorts,
  signed: SignedRefundTransfer,
  { payments, found }: Probe,
): Promise<ReadyRefund | undefined> {
  const { refundTransfer, refund } = signed
  const obstacle = await ports.sender.probe(refund)
  if (obstacle === null) {
    const ready = await releaseRefund(ports, signed)
    if (ready === undefined) return undefined
    if (found.status === 'blocked') {
      ports.notify({ type: 'refund_unblocked', refundTransfer: ready.refundTransfer })
    }
    return { ...ready, payments }
  }
  if (obstacle.scope === 'system') {
    ports.breaker.trip(obstacle.reason)
    await parkRefund(ports, refundTransfer)
    return undefined
  }
  // A nonce that is used already reverts too: a restored backup does not know of its transfer.
  const use =
    obstacle.reason === 'reverts' ? await readRefund(ports, refundTransfer, payments) : null
  if (use?.status === 'transferred') await bookTransfer(ports, refundTransfer, use)
  else await blockRefund(ports, refundTransfer, { reason: obstacle.reason, found })
  return undefined
}

/** A blocked refund whose obstacle is gone is signed anew and goes on. */
async function releaseRefund(
  ports: RefundPorts,
  signed: SignedRefundTransfer,
): Promise<SignedRefundTransfer | undefined> {
  if (signed.refundTransfer.status !== 'blocked') return signed
  const unblocked = await backToUnsigned(ports, signed.refundTransfer)
  return unblocked === undefined ? undefined : await signRefund(ports, unblocked)
}
