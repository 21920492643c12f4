import type { Hex } from '@farebox/ledger'
import { formatDecimal, type Usdc } from '@farebox/money'
import type { ChainReader } from '../chain/chain.ts'
import { bytesToHex } from '../chain/hex.ts'
import type { PaymentNetwork } from '../chain/network.ts'
import type { BudgetRefusal, PayerBudget } from '../policy/payer-budget.ts'
import {
  type AuthorizationDigests,
  authorizationDigests,
} from '../signature/authorization-digest.ts'
import { isWrapped } from '../signature/wrapped-signature.ts'
import type { SignedPayment } from '../wire/signed-payment.ts'

/** Why a payment is refused, as a code of x402, and the message of the 402 if there is one. */
export type Refusal = { readonly reason: string; readonly message?: string }

/** Why a payer cannot pay now. */
export type PayerRefusal = Refusal & {
  readonly status: 'refused'
  /** Whether its balance is too low: money that arrives later would change the result. */
  readonly isShort: boolean
}

/** The payer can pay, out of this balance. */
export type SolventPayer = {
  readonly status: 'solvent'
  readonly payment: SignedPayment
  readonly balance: Usdc
  /** Code, even if not deployed yet, decides about its signature, and may decide differently in a block. */
  readonly hasCode: boolean
}

/**
 * Checks the payer of a genuine signature on the chain, before anything is written: its balance, and
 * its code, if it has any (EIP-7702 included), since the token asks the code and not the key.
 *
 * @throws {ChainError} when the node does not answer.
 */
export type CheckPayer = (payment: SignedPayment) => Promise<PayerRefusal | SolventPayer>

export function createPayerCheck(options: {
  readonly chain: Pick<ChainReader, 'payerOf' | 'acceptsSignature'>
  readonly network: PaymentNetwork
  readonly payerBudget: PayerBudget
  /** What the payer signs; a transfer of the network's USDC by default. */
  readonly digestOf?: AuthorizationDigests['transfer']
}): CheckPayer {
  const { chain, network, payerBudget } = options
  const { digestOf = authorizationDigests(network).transfer } = options

  return async function checkPayer(payment) {
    const { authorization, signature } = payment
    const { asset, from } = authorization
    const { balance, code } = await chain.payerOf(asset, from)
    const refusal = await payerBudget.refusalOf({ payer: from, code })
    if (refusal !== null) return tooManyFaults(refusal)
    if (code !== null) {
      const digest = bytesToHex(digestOf(authorization))
      const accepted = await chain.acceptsSignature({ address: from, digest, signature })
      if (!accepted) return refusedByCode(from)
    }
    return balance < authorization.value
      ? missingFunds({ authorization, balance, network })
      : { status: 'solvent', payment, balance, hasCode: code !== null || isWrapped(signature) }
  }
}

/** The local check has passed: a key signed, or the code accepted the signature a moment ago. */
function refusedByCode(payer: Hex): PayerRefusal {
  return {
    status: 'refused',
    isShort: false,
    reason: 'invalid_exact_evm_signature',
    message: `The code of ${payer} does not accept the signature within 500,000 gas (ERC-1271). An account with code, such as one with a delegation (EIP-7702), pays only if its code does: the token does not ask its key. Remove the delegation, or pay from another account. No money moved.`,
  }
}

const faultTexts: Readonly<Record<BudgetRefusal['reason'], string>> = {
  payments_unserved:
    'Too many payments of this payer ended unserved: the client disconnected before the response began, the provider rejected the request or could not finish it, or the settlement reverted',
  settlements_reverted: 'Too many settlements of this payer reverted on the chain',
}

/** Refuses a payer with too many faults until some of them have expired. */
export function tooManyFaults({ reason, until }: BudgetRefusal): PayerRefusal {
  const time = new Date(until).toISOString()
  return {
    status: 'refused',
    isShort: false,
    reason: 'payer_refused',
    message: `${faultTexts[reason]}. Its payments are refused until ${time}; this one will not be used.`,
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
    isShort: true,
    reason: 'invalid_exact_evm_insufficient_balance',
    message: `${from} holds ${formatDecimal(balance, 6)} USDC on ${chainTitles[network.name]}; ${formatDecimal(value, 6)} is needed.`,
  }
}

const chainTitles = { devnet: 'the devnet', 'base-sepolia': 'Base Sepolia', base: 'Base' } as const
