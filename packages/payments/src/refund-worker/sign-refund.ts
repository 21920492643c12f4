import type { RefundTransfer } from '@farebox/ledger'
import type { SignedRefund } from '../chain/chain.ts'
import { advanceRefund, type RefundPorts } from './refund-ports.ts'

export type SignedTransfer = {
  readonly transfer: RefundTransfer
  /** What is sent. */
  readonly refund: SignedRefund
}

/** How long a signature must still be valid to be sent. */
const minRemainingSeconds = 600

/**
 * The signature in force, or a new one over the same nonce and amount, durable before it is used.
 * Undefined when another replica changed the refund first.
 */
export async function signRefund(
  ports: RefundPorts,
  transfer: RefundTransfer,
): Promise<SignedTransfer | undefined> {
  const now = Math.floor(ports.clock() / 1000)
  const { signature, validBefore } = transfer
  const inForce = validBefore !== null && validBefore > now + minRemainingSeconds
  if (signature !== null && inForce) {
    return { transfer, refund: { ...authorizationOf(ports, transfer, validBefore), signature } }
  }
  const unsigned = await dropSignature(ports, transfer)
  if (unsigned === undefined) return undefined
  const authorization = authorizationOf(ports, unsigned, now + ports.policy.refundValiditySeconds)
  const refund = { ...authorization, signature: await ports.signer.sign(authorization) }
  const signed = await advanceRefund(
    ports,
    { transfer: unsigned },
    {
      type: 'signed',
      signature: refund.signature,
      validBefore: refund.validBefore,
      at: ports.clock(),
    },
  )
  return signed === undefined ? undefined : { transfer: signed, refund }
}

/** A blocked refund whose obstacle is gone is unblocked, which takes a new signature. */
export async function unblockRefund(
  ports: RefundPorts,
  signed: SignedTransfer,
): Promise<SignedTransfer | undefined> {
  if (signed.transfer.status !== 'blocked') return signed
  const unblocked = await dropSignature(ports, signed.transfer)
  return unblocked === undefined ? undefined : await signRefund(ports, unblocked)
}

async function dropSignature(
  ports: RefundPorts,
  transfer: RefundTransfer,
): Promise<RefundTransfer | undefined> {
  const at = ports.clock()
  switch (transfer.status) {
    case 'blocked':
      return await advanceRefund(ports, { transfer }, { type: 'unblocked', at })
    case 'submitted':
      return await advanceRefund(ports, { transfer }, { type: 'lost', at })
    default:
      return transfer
  }
}

function authorizationOf(
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
