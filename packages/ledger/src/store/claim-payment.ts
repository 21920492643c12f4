import { LedgerError } from '../payment/ledger-error.ts'
import { parsePaymentId } from '../payment/payment-id.ts'
import type { Authorization, Hex, PaymentRecord } from '../payment/payment-record.ts'
import type { NewPayment } from './ledger-store.ts'

/** What identifies a payment on the chain. */
export type AuthorizationKey = Pick<Authorization, 'chainId' | 'asset' | 'from' | 'nonce'>

/**
 * The record that a claim writes, `settling`, in canonical form: hexadecimal in lower case.
 *
 * @throws {LedgerError} `invalid_payment` for an id, an address, a nonce or an amount that is none.
 */
export function claimedRecord(payment: NewPayment): PaymentRecord {
  const { authorization } = payment
  return {
    ...payment,
    id: parsePaymentId(payment.id) ?? refuse('id', payment.id),
    authorization: {
      ...authorization,
      ...canonicalKey(authorization),
      to: canonicalHex('to', authorization.to, 20),
      value: inRange(authorization.value),
    },
    version: 1,
    status: 'settling',
    settlementHint: null,
    settlement: null,
    settlementFinal: false,
    cost: null,
    usage: null,
    refund: null,
    reason: null,
    updatedAt: payment.createdAt,
  }
}

/**
 * The one form of an authorisation's identity.
 *
 * @throws {LedgerError} `invalid_payment` for an address or a nonce that is none.
 */
export function canonicalKey({ chainId, asset, from, nonce }: AuthorizationKey): AuthorizationKey {
  return {
    chainId,
    asset: canonicalHex('asset', asset, 20),
    from: canonicalHex('from', from, 20),
    nonce: canonicalHex('nonce', nonce, 32),
  }
}

/** The identity of an authorisation as one text, for maps. */
export function authorizationText(key: AuthorizationKey): string {
  const { chainId, asset, from, nonce } = canonicalKey(key)
  return `${chainId}:${asset}:${from}:${nonce}`
}

function canonicalHex(name: string, text: string, bytes: number): Hex {
  const digits = text.slice(2).toLowerCase()
  const isHex = /^0x/i.test(text) && digits.length === 2 * bytes && /^[0-9a-f]+$/.test(digits)
  return isHex ? `0x${digits}` : refuse(name, text)
}

function inRange(value: Authorization['value']): Authorization['value'] {
  return value > 0n && value <= 0x7fff_ffff_ffff_ffffn ? value : refuse('value', value.toString())
}

function refuse(field: string, value: string): never {
  throw new LedgerError(
    'invalid_payment',
    `${JSON.stringify(value.slice(0, 80))} is no ${field} of a payment`,
  )
}
