import type { PaymentRecord, RefundTransfer } from '@farebox/ledger'
import type { AuthorizationUse, ChainReader, RefundSigner } from '../chain/chain.ts'
import { confirmationWait } from '../policy/confirmation-wait.ts'
import type { ConfirmationsOf } from '../settlement/confirmation-cache.ts'
import { loadPayments, type PaymentLoader } from './load-payments.ts'
import type { RefundOutcome } from './record-outcome.ts'
import type { RefundPorts } from './refund-ports.ts'

type CheckPorts = Pick<RefundPorts, 'clock' | 'policy'> & {
  readonly chain: Pick<ChainReader, 'authorizationUse'>
  readonly signer: Pick<RefundSigner, 'treasury'>
}

/** What the chain's logs show for a refund's nonce: they alone decide whether it was paid. */
export async function readRefund(
  { chain, signer }: Pick<CheckPorts, 'chain' | 'signer'>,
  { asset, nonce, transaction: hint }: Pick<RefundTransfer, 'asset' | 'nonce' | 'transaction'>,
  payments: readonly PaymentRecord[],
): Promise<AuthorizationUse> {
  const blocks = payments.map(({ settlement, intentBlock }) => settlement?.block ?? intentBlock)
  const fromBlock = Math.min(...blocks)
  return await chain.authorizationUse({ asset, from: signer.treasury, nonce, fromBlock, hint })
}

/**
 * Whether a confirmed refund is final; one that a reorganization removed is looked up again. A
 * refund is checked many times until it is final, so its payments are loaded only when they are
 * needed.
 */
export async function checkFinality(
  ports: CheckPorts & PaymentLoader,
  transfer: RefundTransfer,
  confirmationsOf: ConfirmationsOf,
): Promise<RefundOutcome> {
  const { proof } = transfer
  const confirmations = proof === null ? 'gone' : await confirmationsOf(proof)
  if (confirmations === 'gone') {
    const payments = await loadPayments(ports, transfer)
    return { status: 'lost', use: await readRefund(ports, transfer, payments) }
  }
  const { policy } = ports
  const missing = policy.finalConfirmations - confirmations
  return missing <= 0
    ? { status: 'final' }
    : {
        status: 'retry_later',
        delayMs: confirmationWait(policy, { missing, minMs: policy.watchMs }),
      }
}

const lookAgainMs = 60_000
/** After this no block can come in which a signature is valid, despite clock skew and reorgs. */
const marginSeconds = 600

/**
 * Writes a refund off once no signature over it can be executed any more. Until then an earlier
 * sending may still be delivered: then it is booked as paid instead.
 */
export async function checkWriteOff(
  ports: CheckPorts,
  transfer: RefundTransfer,
  payments: readonly PaymentRecord[],
): Promise<RefundOutcome> {
  const use = await readRefund(ports, transfer, payments)
  if (use.status === 'transferred' && use.to === transfer.payer) {
    return { status: 'transferred', use }
  }
  return isSignatureExpired(ports, transfer, use)
    ? { status: 'written_off' }
    : { status: 'retry_later', delayMs: lookAgainMs }
}

function isSignatureExpired(
  { clock }: Pick<CheckPorts, 'clock'>,
  transfer: RefundTransfer,
  use: AuthorizationUse,
): boolean {
  if (transfer.validBefore === null) return true
  const now = clock() / 1000
  const chainTime = use.status === 'unused' ? use.head.timestamp : now
  const margin = use.status === 'unused' ? marginSeconds : 0
  return Math.min(now, chainTime) > transfer.validBefore + margin
}

/** A refund that may have been sent is looked up by its nonce before it is sent again. */
export async function checkEarlierSending(
  ports: CheckPorts,
  transfer: RefundTransfer,
  payments: readonly PaymentRecord[],
): Promise<RefundOutcome | null> {
  if (transfer.status !== 'signed' && transfer.status !== 'submitted') return null
  const use = await readRefund(ports, transfer, payments)
  if (use.status === 'transferred') return { status: 'transferred', use }
  if (use.status === 'canceled') {
    return { status: 'blocked_for_payee', reason: 'authorization_canceled' }
  }
  if (transfer.status === 'signed') return null
  // Doubles the wait after each check, until it is time to send the same bytes again.
  const lastDelay = Math.max(0, transfer.nextAttemptAt - transfer.updatedAt)
  return lastDelay * 2 > ports.policy.resendMs
    ? null
    : { status: 'retry_later', delayMs: Math.max(lastDelay * 2, ports.policy.refundPollMs) }
}

/** After a restored backup, a refund that cannot be paid may have been paid already. */
export async function unlessTransferred(
  ports: CheckPorts,
  { transfer, payments }: { transfer: RefundTransfer; payments: readonly PaymentRecord[] },
  outcome: RefundOutcome,
): Promise<RefundOutcome> {
  const use = await readRefund(ports, transfer, payments)
  return use.status === 'transferred' ? { status: 'transferred', use } : outcome
}
