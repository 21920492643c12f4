import type { Usdc } from '@farebox/money'
import { overlapReason } from '../payment/is-overlapping.ts'
import { LedgerError } from '../payment/ledger-error.ts'
import { parsePaymentId } from '../payment/payment-id.ts'
import type { Authorization, Hex, PaymentKind, PaymentRecord } from '../payment/payment-record.ts'
import type { NewPayment } from './claim-outcome.ts'
import type { PayerKey } from './ledger-store.ts'

/** Identifies a payment on the chain. */
export type AuthorizationKey = Pick<Authorization, 'chainId' | 'asset' | 'from' | 'nonce'>

/**
 * The record that a claim writes, `settling`, in canonical form: hexadecimal in lower case.
 *
 * @throws {LedgerError} `invalid_payment` for an invalid id, authorization, address, nonce, amount or
 *   channel.
 */
export function claimedRecord({ isOverlapping = false, ...payment }: NewPayment): PaymentRecord {
  const authorization = mustBeObject('authorization', payment.authorization)
  return {
    ...payment,
    id:
      parsePaymentId(payment.id) ?? refuse('id', payment.id, 'use pay_ and 32 hexadecimal digits'),
    authorization: {
      ...authorization,
      ...canonicalKey(authorization),
      to: canonicalHex('to', authorization.to, 20),
      value: inRange('value', authorization.value),
    },
    channelId: channelIdOf(payment),
    version: 1,
    status: 'settling',
    settlementHint: null,
    settlement: null,
    settlementFinal: false,
    cost: null,
    usage: null,
    providerCost: null,
    refund: null,
    reason: isOverlapping ? overlapReason : null,
    updatedAt: payment.createdAt,
  }
}

/**
 * The canonical form of an authorization's identity.
 *
 * @throws {LedgerError} `invalid_payment` for an invalid address or nonce.
 */
export function canonicalKey(key: AuthorizationKey): AuthorizationKey {
  return { ...canonicalPayer(key), nonce: canonicalHex('nonce', key.nonce, 32) }
}

/** @throws {LedgerError} `invalid_payment` for an invalid address. */
export function canonicalPayer({ chainId, asset, from }: PayerKey): PayerKey {
  return {
    chainId,
    asset: canonicalHex('asset', asset, 20),
    from: canonicalHex('from', from, 20),
  }
}

/** @throws {LedgerError} `invalid_payment` for a payment of another kind. */
export function mustBe(kind: PaymentKind, payment: NewPayment): NewPayment {
  return payment.kind === kind ? payment : refuse('kind', payment.kind, `use ${kind} here`)
}

/** The identity of an authorization as a string, for use as a map key. */
export function authorizationText(key: AuthorizationKey): string {
  const { chainId, asset, from, nonce } = canonicalKey(key)
  return `${chainId}:${asset}:${from}:${nonce}`
}

function channelIdOf({ kind, channelId }: NewPayment): Hex | null {
  if ((kind === 'sale') !== (channelId === null)) {
    return refuse('channelId', channelId, 'use null for a sale, else the id of its channel')
  }
  return channelId === null ? null : canonicalHex('channelId', channelId, 32)
}

/** @throws {LedgerError} `invalid_payment` for anything but that many bytes. */
export function canonicalHex(field: string, text: unknown, bytes: number): Hex {
  const lower = typeof text === 'string' ? text.toLowerCase() : ''
  return lower.length === 2 + 2 * bytes && isHex(lower)
    ? lower
    : refuse(field, text, `use 0x and ${2 * bytes} hexadecimal digits`)
}

function isHex(text: string): text is Hex {
  return /^0x[0-9a-f]+$/.test(text)
}

/** @throws {LedgerError} `invalid_payment` for anything but an object. */
export function mustBeObject<Value>(field: string, value: Value): Value {
  return typeof value === 'object' && value !== null ? value : refuse(field, value, 'use an object')
}

const maxValue = 0x7fff_ffff_ffff_ffffn

/** @throws {LedgerError} `invalid_payment` for an amount that is not positive or above 64 bits. */
export function inRange(field: string, value: Usdc): Usdc {
  if (value > 0n && value <= maxValue) return value
  return refuse(field, value, `use 1 to ${maxValue} atomic units`)
}

/** @throws {LedgerError} `invalid_payment`, always. */
export function refuse(field: string, value: unknown, fix: string): never {
  const shown = JSON.stringify(String(value).slice(0, 80))
  throw new LedgerError('invalid_payment', `${shown} is not a valid ${field} of a payment: ${fix}`)
}
