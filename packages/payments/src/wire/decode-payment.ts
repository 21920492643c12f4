import type { Authorization, Hex } from '@farebox/ledger'
import { atomicUsdc, type Usdc } from '@farebox/money'
import { parseHex, parseHexOf } from '../chain/hex.ts'
import type { PaymentNetwork } from '../chain/network.ts'
import { parseSeconds, parseUint } from './decimal-text.ts'
import { isComplete, missingField } from './is-complete.ts'
import { parseSignature } from './parse-signature.ts'
import { type PaymentEnvelope, type ReadEnvelope, readEnvelope } from './payment-envelope.ts'
import { readPaymentIdentifier } from './payment-identifier.ts'
import { paymentPayload } from './payment-payload.ts'
import {
  type PaymentTerms,
  paymentRequirements,
  type ResourceInfo,
} from './payment-requirements.ts'
import type { SignedPayment } from './signed-payment.ts'

/** What the payment is compared with: the terms of the sale and the accepted amounts. */
export type DecodeContext = PaymentTerms & {
  readonly resource: ResourceInfo
  /** The current price first, then earlier prices that are still honored. */
  readonly amounts: readonly [Usdc, ...Usdc[]]
}

/** Why a readable payment does not match the sale. */
export type MismatchReason =
  | 'invalid_exact_evm_scheme'
  | 'invalid_exact_evm_network_mismatch'
  | 'invalid_exact_evm_payload_authorization_value_mismatch'
  | 'invalid_exact_evm_recipient_mismatch'
  | 'invalid_exact_evm_asset_mismatch'

export type DecodedPayment =
  | { readonly status: 'absent' }
  | { readonly status: 'malformed'; readonly message: string; readonly param: string }
  /**
   * Readable, but for another price, payee, token or network. `payment` is present when its identity
   * is known, so that a claimed authorization is recognized; its signature is not checked.
   */
  | {
      readonly status: 'mismatched'
      readonly reason: MismatchReason
      readonly payment: SignedPayment | null
    }
  | { readonly status: 'decoded'; readonly payment: SignedPayment; readonly amount: Usdc }

/**
 * Reads the payment of a request, of either protocol, into one canonical form: hexadecimal in lower
 * case, numbers as numbers, the server's own requirement in place of the one that the client echoed,
 * and nothing that the client added. Never throws.
 */
export function decodePayment(
  headers: {
    readonly 'payment-signature'?: string | undefined
    readonly 'x-payment'?: string | undefined
  },
  context: DecodeContext,
): DecodedPayment {
  return decodeEnvelope(readEnvelope(headers), context)
}

/** The same for a header that has been read. */
export function decodeEnvelope(read: ReadEnvelope, context: DecodeContext): DecodedPayment {
  if (read.status !== 'read') return read
  const { envelope } = read
  const misplaced = findMisplacement(envelope, context.network)
  if (misplaced !== null) return { status: 'mismatched', reason: misplaced, payment: null }
  const exact = readExactPayload(envelope.payload, context.network)
  if (exact.status === 'malformed') return exact
  const identifier = readPaymentIdentifier(envelope.extensions)
  if (identifier.status === 'invalid') {
    return malformed(
      'extensions.payment-identifier.info.id',
      'must be 16 to 128 letters, digits, "-" or "_"',
    )
  }
  const amount = context.amounts.find((offer) => offer === exact.authorization.value)
  const payment = canonicalPayment({ envelope, exact, context, clientPaymentId: identifier.id })
  const reason = findMismatch({ envelope, payment, context, amount })
  return reason === null && amount !== undefined
    ? { status: 'decoded', payment, amount }
    : { status: 'mismatched', reason: reason ?? valueMismatch, payment }
}

const valueMismatch = 'invalid_exact_evm_payload_authorization_value_mismatch'

function malformed(param: string, message: string): DecodedPayment & { status: 'malformed' } {
  return { status: 'malformed', message: `${param}: ${message}`, param }
}

function findMisplacement(
  envelope: PaymentEnvelope,
  network: PaymentNetwork,
): MismatchReason | null {
  if (envelope.scheme !== 'exact') return 'invalid_exact_evm_scheme'
  const expected = envelope.protocol === 2 ? network.caip2 : network.v1Name
  return envelope.network === expected ? null : 'invalid_exact_evm_network_mismatch'
}

/** Compares the echoed requirement and the signed fields with our own. */
function findMismatch({
  envelope,
  payment,
  context,
  amount,
}: {
  readonly envelope: PaymentEnvelope
  readonly payment: SignedPayment
  readonly context: DecodeContext
  readonly amount: Usdc | undefined
}): MismatchReason | null {
  if (amount === undefined) return valueMismatch
  if (payment.authorization.to !== parseHex(context.payTo)) {
    return 'invalid_exact_evm_recipient_mismatch'
  }
  const { accepted } = envelope
  if (accepted === null) return null
  if (accepted.amount !== amount.toString()) return valueMismatch
  if (parseHex(accepted.payTo) !== parseHex(context.payTo)) {
    return 'invalid_exact_evm_recipient_mismatch'
  }
  return parseHex(accepted.asset) === context.network.usdc
    ? null
    : 'invalid_exact_evm_asset_mismatch'
}

type ExactPayload = { readonly authorization: Authorization; readonly signature: Hex }

type ReadPayload =
  | ({ readonly status: 'read' } & ExactPayload)
  | (DecodedPayment & { status: 'malformed' })

function readExactPayload(
  payload: Readonly<Record<string, unknown>>,
  network: PaymentNetwork,
): ReadPayload {
  const { authorization: fields, signature: signatureText } = payload
  if (typeof fields !== 'object' || fields === null) {
    return malformed('payload.authorization', 'must be an EIP-3009 authorization')
  }
  const signature = parseSignature(signatureText)
  if (signature === undefined) {
    return malformed('payload.signature', 'must be bytes in hexadecimal with 0x')
  }
  const read = new Map(Object.entries(fields))
  const parsed = {
    from: parseHexOf(20, read.get('from')),
    to: parseHexOf(20, read.get('to')),
    value: parseUint(read.get('value')),
    validAfter: parseSeconds(read.get('validAfter')),
    validBefore: parseSeconds(read.get('validBefore')),
    nonce: parseHexOf(32, read.get('nonce')),
  }
  if (!isComplete(parsed)) {
    const { name, problem } = missingField(parsed)
    return malformed(`payload.authorization.${name}`, problem)
  }
  const { chainId, usdc: asset } = network
  const authorization = { chainId, asset, ...parsed, value: atomicUsdc(parsed.value) }
  return { status: 'read', authorization, signature }
}

function canonicalPayment({
  envelope,
  exact,
  context,
  clientPaymentId,
}: {
  readonly envelope: PaymentEnvelope
  readonly exact: ExactPayload
  readonly context: DecodeContext
  readonly clientPaymentId: string | null
}): SignedPayment {
  const { authorization, signature } = exact
  const requirements = paymentRequirements(context, authorization.value)
  return {
    protocol: envelope.protocol,
    network: context.network.caip2,
    authorization,
    signature,
    payload: paymentPayload({ requirements, resource: context.resource, ...exact }),
    requirements,
    clientPaymentId,
  }
}
