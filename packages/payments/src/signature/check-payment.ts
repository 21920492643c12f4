import type { Hex } from '@farebox/ledger'
import type { Usdc } from '@farebox/money'
import { zeroAddress } from '../chain/addresses.ts'
import type { ChainReader } from '../chain/chain.ts'
import { bytesToHex, lowerHex } from '../chain/hex.ts'
import type { PaymentNetwork } from '../chain/network.ts'
import type { SignedPayment } from '../wire/signed-payment.ts'
import { type AuthorizationDigests, authorizationDigests } from './authorization-digest.ts'
import { formatKeySignature, parseKeySignature } from './key-signature.ts'
import { createSignerRecovery, type RecoverSigner } from './recover-signer.ts'
import { unwrapSignature } from './wrapped-signature.ts'

/** Why a payment cannot settle, as a stable code of x402. */
export type CheckRejection =
  | 'invalid_exact_evm_network_mismatch'
  | 'invalid_exact_evm_asset_mismatch'
  | 'invalid_exact_evm_payload_authorization_value_mismatch'
  | 'invalid_exact_evm_recipient_mismatch'
  | 'invalid_exact_evm_payer'
  | 'invalid_exact_evm_payload_authorization_valid_after'
  | 'invalid_exact_evm_payload_authorization_valid_before'
  | 'invalid_exact_evm_signature'
  | 'eip6492_factory_not_allowed'

export type CheckedPayment =
  /** Its signature is genuine and in canonical form. The payer's balance is not checked. */
  | { readonly status: 'valid'; readonly payment: SignedPayment }
  | { readonly status: 'invalid'; readonly reason: CheckRejection }

export type PaymentCheck = {
  readonly payment: SignedPayment
  /** The amount it must pay, to the unit. */
  readonly amount: Usdc
  /** Seconds since 1970, by our clock. */
  readonly now: number
}

/**
 * Checks a payment before it costs anything.
 *
 * @throws {ChainError} when a contract wallet's signature has to be checked and the node does not
 * answer.
 */
export type CheckPayment = (check: PaymentCheck) => Promise<CheckedPayment>

export type PaymentCheckOptions = {
  readonly network: PaymentNetwork
  readonly payTo: Hex
  /** Our own accounts besides `payTo`, such as the relayer: they cannot pay us. */
  readonly ownAccounts: readonly Hex[]
  readonly chain: Pick<ChainReader, 'hasCode' | 'acceptsSignature'>
  /** How long an authorization may remain valid. A day by default. */
  readonly maxValiditySeconds?: number
  /** Wallet factories that an ERC-6492 signature may call. None by default. */
  readonly walletFactories?: readonly Hex[]
  readonly recoverSigner?: RecoverSigner
  /** What the payer signs; a transfer of the network's USDC by default. */
  readonly digestOf?: AuthorizationDigests['transfer']
}

/** Facilitators refuse authorizations that are valid for less. */
export const minValiditySeconds = 6
/** How far a client's clock may be ahead when it signs for as long as a 402 may be paid. */
export const clockSkewSeconds = 60
/** A client's clock may run a little ahead; the chain's own clock lags behind both. */
const clockTolerance = 2

/**
 * Creates the local check: exact amount, payee, token, chain and time window, then the signature.
 * A key's signature is recovered here and costs no call; any other signature is checked on the chain
 * (ERC-1271). A payer with code whose key signed passes here, and is checked by the simulation that
 * precedes each settlement, since the token asks the payer's code rather than its key.
 */
export function createPaymentCheck(options: PaymentCheckOptions): CheckPayment {
  const digestOf = options.digestOf ?? authorizationDigests(options.network).transfer
  const recoverSigner = options.recoverSigner ?? createSignerRecovery()
  const factories = new Set((options.walletFactories ?? []).map(lowerHex))
  const findRejection = createFieldCheck(options)

  return async function checkPayment(check) {
    const rejection = findRejection(check)
    if (rejection !== null) return { status: 'invalid', reason: rejection }
    const { payment } = check
    const { from } = payment.authorization
    const digest = digestOf(payment.authorization)
    const signature = parseKeySignature(payment.signature)
    if (signature !== undefined && (await recoverSigner(digest, signature)) === from) {
      return { status: 'valid', payment: withSignature(payment, formatKeySignature(signature)) }
    }
    return await checkContractSignature({
      payment,
      digest: bytesToHex(digest),
      factories,
      chain: options.chain,
    })
  }
}

function createFieldCheck(
  options: PaymentCheckOptions,
): (check: PaymentCheck) => CheckRejection | null {
  const { network } = options
  const payTo = lowerHex(options.payTo)
  const cannotPay = new Set([zeroAddress, payTo, ...options.ownAccounts.map(lowerHex)])
  const maxSeconds = options.maxValiditySeconds ?? 86_400

  return function findRejection({ payment: { authorization }, amount, now }) {
    const { chainId, asset, from, to, value, validAfter, validBefore } = authorization
    if (chainId !== network.chainId) return 'invalid_exact_evm_network_mismatch'
    if (asset !== network.usdc) return 'invalid_exact_evm_asset_mismatch'
    if (value !== amount) return 'invalid_exact_evm_payload_authorization_value_mismatch'
    if (to !== payTo) return 'invalid_exact_evm_recipient_mismatch'
    if (cannotPay.has(from)) return 'invalid_exact_evm_payer'
    if (validAfter > now + clockTolerance) {
      return 'invalid_exact_evm_payload_authorization_valid_after'
    }
    return validBefore < now + minValiditySeconds || validBefore > now + maxSeconds
      ? 'invalid_exact_evm_payload_authorization_valid_before'
      : null
  }
}

type ContractCheck = {
  readonly payment: SignedPayment
  readonly digest: Hex
  readonly factories: ReadonlySet<Hex>
  readonly chain: Pick<ChainReader, 'hasCode' | 'acceptsSignature'>
}

async function checkContractSignature(check: ContractCheck): Promise<CheckedPayment> {
  const { payment, digest, factories, chain } = check
  const address = payment.authorization.from
  const wrapped = unwrapSignature(payment.signature)
  if (wrapped === 'malformed') return invalidSignature
  if (!(await chain.hasCode(address))) {
    if (wrapped === null) return invalidSignature
    // The allowed factory deploys the wallet while settling; the simulation checks the signature.
    return factories.has(wrapped.factory)
      ? { status: 'valid', payment }
      : { status: 'invalid', reason: 'eip6492_factory_not_allowed' }
  }
  const signature = wrapped?.signature ?? payment.signature
  return (await chain.acceptsSignature({ address, digest, signature }))
    ? { status: 'valid', payment: withSignature(payment, signature) }
    : invalidSignature
}

const invalidSignature: CheckedPayment = {
  status: 'invalid',
  reason: 'invalid_exact_evm_signature',
}

function withSignature(payment: SignedPayment, signature: Hex): SignedPayment {
  if (signature === payment.signature) return payment
  const { payload } = payment.payload
  const inner = typeof payload === 'object' ? payload : {}
  return {
    ...payment,
    signature,
    payload: { ...payment.payload, payload: { ...inner, signature } },
  }
}
