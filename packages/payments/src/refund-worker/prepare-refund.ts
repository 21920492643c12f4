import type { PaymentRecord, Payout, TransferProof } from '@farebox/ledger'
import type { SignedRefund } from '../chain/chain.ts'
import { watchSettlement } from '../settlement/watch-settlement.ts'
import { blockPayout, parkAlone, parkPayout } from './refund-parking.ts'
import { advancePayout, postponePayout, type RefundPorts } from './refund-ports.ts'
import { bookTransfer, readPayout } from './track-refund.ts'
import { recordWriteOff } from './write-off.ts'

/** A refund that may be sent now, as far as reading the chain can tell. */
export type ReadyRefund = {
  readonly payout: Payout
  readonly refund: SignedRefund
  readonly payments: readonly PaymentRecord[]
}

/** What the refunds of one round share. */
export type RefundRoundState = {
  readonly depthOf: (proof: TransferProof) => Promise<number | 'gone'>
  /** Takes an amount from what the treasury holds and from what may leave it in this hour. */
  readonly spend: (payout: Payout) => Promise<'granted' | 'treasury_empty' | 'hourly_cap'>
}

/**
 * Brings a refund to the point where it can be sent; undefined when it has to wait, cannot be
 * delivered or was paid already. Nothing leaves before it is signed in the ledger.
 */
export async function preparePayout(
  ports: RefundPorts,
  payout: Payout,
  round: RefundRoundState & { readonly payments: readonly PaymentRecord[] },
): Promise<ReadyRefund | undefined> {
  const { payments } = round
  if (payout.status === 'signed' || payout.status === 'submitted') {
    if (await isSettledOrPending(ports, payout, payments)) return undefined
  }
  if (ports.maxRefund !== null && payout.amount > ports.maxRefund) {
    await blockPayout(ports, payout, { reason: 'refund_cap', found: payout })
    return undefined
  }
  if (!(await areSettlementsDeep(ports, payout, round))) return undefined
  if (!ports.breaker.admits()) {
    await parkPayout(ports, payout)
    return undefined
  }
  const grant = await round.spend(payout)
  if (grant === 'treasury_empty') {
    await bookOrPark(ports, payout, payments)
    return undefined
  }
  if (grant === 'hourly_cap') {
    ports.breaker.trip(grant)
    await parkPayout(ports, payout)
    return undefined
  }
  const signed = await signPayout(ports, payout)
  return signed === undefined
    ? undefined
    : await probePayout(ports, signed, { payments, found: payout })
}

/** A refund that may be under way is looked up by its nonce before anything is sent again. */
async function isSettledOrPending(
  ports: RefundPorts,
  payout: Payout,
  payments: readonly PaymentRecord[],
): Promise<boolean> {
  const use = await readPayout(ports, payout, payments)
  if (use.status === 'transferred') {
    await bookTransfer(ports, payout, use)
    return true
  }
  if (use.status === 'canceled') {
    await blockPayout(ports, payout, { reason: 'authorization_canceled', found: payout })
    return true
  }
  if (payout.status !== 'submitted') return false
  // Looks after twice the time of the last look, until it is time to send the same bytes again.
  const lastPause = Math.max(0, payout.nextAttemptAt - payout.updatedAt)
  if (lastPause * 2 > ports.resendMs) return false
  await postponePayout(ports, payout, Math.max(lastPause * 2, ports.pollMs))
  return true
}

/** It cannot be paid, but after a restored backup it may have been paid already. */
async function bookOrPark(
  ports: RefundPorts,
  payout: Payout,
  payments: readonly PaymentRecord[],
): Promise<void> {
  const use = await readPayout(ports, payout, payments)
  if (use.status === 'transferred') await bookTransfer(ports, payout, use)
  else await parkAlone(ports, payout, 'treasury_empty')
}

/** A refund never outruns the payment it comes from. */
async function areSettlementsDeep(
  ports: RefundPorts,
  payout: Payout,
  round: RefundRoundState & { readonly payments: readonly PaymentRecord[] },
): Promise<boolean> {
  for (const payment of round.payments) {
    const watched = await watchSettlement(ports, payment, round.depthOf)
    if (watched.status === 'lost') {
      await holdLostRefund(ports, payout, round.payments)
      return false
    }
    if (watched.depth + 1 < ports.confirmations) {
      await postponePayout(ports, payout, ports.pollMs)
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
  payout: Payout,
  payments: readonly PaymentRecord[],
): Promise<void> {
  const canEnd = payout.validBefore === null || payout.validBefore * 1000 < ports.clock()
  const isOver = payments.every(
    ({ settlement, payload }) => settlement === null && payload === null,
  )
  if (isOver && canEnd && payout.status === 'blocked') {
    await recordWriteOff(ports, payout)
  } else {
    await blockPayout(ports, payout, { reason: 'settlement_lost', found: payout })
  }
}

type SignedPayout = { readonly payout: Payout; readonly refund: SignedRefund }

/** How long a signature must still be valid to be sent. */
const leastValiditySeconds = 600

/** The signature in force, or another one over the same nonce and amount, durable before it is used. */
async function signPayout(ports: RefundPorts, payout: Payout): Promise<SignedPayout | undefined> {
  const now = Math.floor(ports.clock() / 1000)
  const { signature, validBefore } = payout
  const inForce = validBefore !== null && validBefore > now + leastValiditySeconds
  if (signature !== null && inForce) {
    return { payout, refund: { ...transferOf(ports, payout, validBefore), signature } }
  }
  const unsigned = await backToUnsigned(ports, payout)
  if (unsigned === undefined) return undefined
  const transfer = transferOf(ports, unsigned, now + ports.validitySeconds)
  const refund = { ...transfer, signature: await ports.signer.sign(transfer) }
  const signed = await advancePayout(ports, unsigned, {
    type: 'signed',
    signature: refund.signature,
    validBefore: refund.validBefore,
    at: ports.clock(),
  })
  return signed === undefined ? undefined : { payout: signed, refund }
}

async function backToUnsigned(ports: RefundPorts, payout: Payout): Promise<Payout | undefined> {
  const at = ports.clock()
  switch (payout.status) {
    case 'blocked':
      return await advancePayout(ports, payout, { type: 'unblocked', at })
    case 'submitted':
      return await advancePayout(ports, payout, { type: 'lost', at })
    default:
      return payout
  }
}

function transferOf(
  { signer }: RefundPorts,
  { nonce, asset, payer, amount }: Payout,
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

type Probe = { readonly payments: readonly PaymentRecord[]; readonly found: Payout }

/** Asks the chain whether the refund would pass now, so that no gas is spent on one that would not. */
async function probePayout(
  ports: RefundPorts,
  signed: SignedPayout,
  { payments, found }: Probe,
): Promise<ReadyRefund | undefined> {
  const { payout, refund } = signed
  const obstacle = await ports.sender.probe(refund)
  if (obstacle === null) {
    const ready = await releasePayout(ports, signed)
    if (ready === undefined) return undefined
    if (found.status === 'blocked') {
      ports.notify({ type: 'refund_unblocked', payout: ready.payout })
    }
    return { ...ready, payments }
  }
  if (obstacle.scope === 'system') {
    ports.breaker.trip(obstacle.reason)
    await parkPayout(ports, payout)
    return undefined
  }
  // A nonce that is used already reverts too: a restored backup does not know of its transfer.
  const use = obstacle.reason === 'reverts' ? await readPayout(ports, payout, payments) : null
  if (use?.status === 'transferred') await bookTransfer(ports, payout, use)
  else await blockPayout(ports, payout, { reason: obstacle.reason, found })
  return undefined
}

/** A blocked refund whose obstacle is gone is signed anew and goes on. */
async function releasePayout(
  ports: RefundPorts,
  signed: SignedPayout,
): Promise<SignedPayout | undefined> {
  if (signed.payout.status !== 'blocked') return signed
  const unblocked = await backToUnsigned(ports, signed.payout)
  return unblocked === undefined ? undefined : await signPayout(ports, unblocked)
}
