import { formatUsdc, type Usdc } from '@farebox/money'
import type { ChainReader } from '../chain/chain.ts'
import { bytesToHex } from '../chain/hex.ts'
import type { PaymentNetwork } from '../chain/network.ts'
import type { RevertBudget } from '../settlement/revert-budget.ts'
import { authorizationDigests } from '../signature/authorization-digest.ts'
import type { SignedPayment } from '../wire/signed-payment.ts'

/** Why a payer cannot pay now, as a code of x402, and the message of the 402 if it says more. */
export type PayerRefusal = { readonly reason: string; readonly message?: string }

/**
 * Checks what the chain knows about the payer of a genuine signature, before anything is written:
 * its balance, and its code, if it has any (EIP-7702 included), since the token asks the code and
 * not the key. Null when the payer can pay.
 *
 * @throws {ChainError} when the node does not answer.
 */
export type CheckPayer = (payment: SignedPayment) => Promise<PayerRefusal | null>

export function createPayerCheck(options: {
  readonly chain: Pick<ChainReader, 'balanceOf' | 'codeOf' | 'acceptsSignature'>
  readonly network: PaymentNetwork
  readonly reverts: RevertBudget
}): CheckPayer {
  const { chain, network, reverts } = options
  const digests = authorizationDigests(network)

  return async function checkPayer({ authorization, signature }) {
    const { asset, from } = authorization
    const [balance, code] = await Promise.all([chain.balanceOf(asset, from), chain.codeOf(from)])
    const until = reverts.refusedUntil({ payer: from, code })
    if (until !== null) return revertedTooOften(until)
    if (code !== null) {
      const digest = bytesToHex(digests.transfer(authorization))
      const accepted = await chain.acceptsSignature({ address: from, digest, signature })
      if (!accepted) return { reason: 'invalid_exact_evm_signature' }
    }
    return balance < authorization.value ? missingFunds({ authorization, balance, network }) : null
  }
}

function revertedTooOften(until: number): PayerRefusal {
  const time = new Date(until).toISOString()
  return {
    reason: 'payer_refused',
    message: `Too many settlements of this payer reverted on the chain. Its payments are refused until ${time}; this one will not be used.`,
  }
}

function missingFunds({
  authorization: { from, value },
  balance,
  network,
}: Pick<SignedPayment, 'authorization'> & {
  readonly balance: Usdc
  readonly network: PaymentNetwork
}): PayerRefusal {
  return {
    reason: 'invalid_exact_evm_insufficient_balance',
    message: `${from} holds ${formatUsdc(balance)} USDC on ${network.name}; ${formatUsdc(value)} is needed.`,
  }
}
