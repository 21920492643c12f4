import { formatUsdc, type Usdc } from '@farebox/money'
import type { ChainReader } from '../chain/chain.ts'
import { bytesToHex } from '../chain/hex.ts'
import type { PaymentNetwork } from '../chain/network.ts'
import type { RevertBudget } from '../settlement/revert-budget.ts'
import { authorizationDigests } from '../signature/authorization-digest.ts'
import type { SignedPayment } from '../wire/signed-payment.ts'

/** Why a payer cannot pay now, as a code of x402, and the message of the 402 if it says more. */
export type PayerRefusal = {
  readonly status: 'refused'
  readonly reason: string
  readonly message?: string
}

/** The payer can pay, out of this balance. */
export type SolventPayer = {
  readonly status: 'solvent'
  readonly payment: SignedPayment
  readonly balance: Usdc
}

/**
 * Checks what the chain knows about the payer of a genuine signature, before anything is written:
 * its balance, and its code, if it has any (EIP-7702 included), since the token asks the code and
 * not the key.
 *
 * @throws {ChainError} when the node does not answer.
 */
export type CheckPayer = (payment: SignedPayment) => Promise<PayerRefusal | SolventPayer>

export function createPayerCheck(options: {
  readonly chain: Pick<ChainReader, 'balanceOf' | 'codeOf' | 'acceptsSignature'>
  readonly network: PaymentNetwork
  readonly reverts: RevertBudget
}): CheckPayer {
  const { chain, network, reverts } = options
  const digests = authorizationDigests(network)

  return async function checkPayer(payment) {
    const { authorization, signature } = payment
    const { asset, from } = authorization
    const [balance, code] = await Promise.all([chain.balanceOf(asset, from), chain.codeOf(from)])
    const until = reverts.refusedUntil({ payer: from, code })
    if (until !== null) return revertedTooOften(until)
    if (code !== null) {
      const digest = bytesToHex(digests.transfer(authorization))
      const accepted = await chain.acceptsSignature({ address: from, digest, signature })
      if (!accepted) return { status: 'refused', reason: 'invalid_exact_evm_signature' }
    }
    return balance < authorization.value
      ? missingFunds({ authorization, balance, network })
      : { status: 'solvent', payment, balance }
  }
}

function revertedTooOften(until: number): PayerRefusal {
  const time = new Date(until).toISOString()
  return {
    status: 'refused',
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
    status: 'refused',
    reason: 'invalid_exact_evm_insufficient_balance',
    message: `${from} holds ${formatUsdc(balance)} USDC on ${network.name}; ${formatUsdc(value)} is needed.`,
  }
}
