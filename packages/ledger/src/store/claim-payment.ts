import { LedgerError } from '../payment/ledger-error.ts'
import { parsePaymentId } from '../payment/payment-id.ts'
import type { Authorization, Hex, PaymentRecord } from '../payment/payment-record.ts'
import { servedAhead } from '../payment/served-ahead.ts'
import type { NewPayment, PayerKey } from './ledger-store.ts'

/** Identifies a payment on the chain. */
export type AuthorizationKey = Pick<Authorization, 'chainId' | 'asset' | 'from' | 'nonce'>

/**
 * The record that a claim writes, `settling`, in canonical form: hexadecimal in lower case.
 *
 * @throws {LedgerError} `invalid_payment` for an invalid id, address, nonce or amount.
 */
export function claimedRecord({ isServedAhead = false, ...payment }: NewPayment): PaymentRecord {
  const { authorization } = payment
  return {
    ...payment,
    id:
      parsePaymentId(payment.id) ?? refuse('id', payment.id, 'use pay_ and 32 hexadecimal digits'),
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
    reason: isServedAhead ? servedAhead : null,
    updatedAt: payment.createdAt,
  }
}

/**
 * The canonical form of an authorisation's identity.
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

/** The identity of an authorisation as a string, for use as a map key. */
export function authorizationText(key: AuthorizationKey): string {
  const { chainId, asset, from, nonce } = canonicalKey(key)
  return `${chainId}:${asset}:${from}:${nonce}`
}

function canonicalHex(field: string, text: string, bytes: number): Hex {
  const digits = text.slice(2).toLowerCase()
  const isHex = /^0x/i.test(text) && digits.length === 2 * bytes && /^[0-9a-f]+$/.test(digits)
  return isHex ? `0x${digits}` : refuse(field, text, `use 0x and ${2 * bytes} hexadecimal digits`)
}

const largestValue = 0x7fff_ffff_ffff_ffffn

function inRange(value: Authorization['value']): Authorization['value'] {
  if (value > 0n && value <= largestValue) return value
  return refuse('value', value.toString(), `use 1 to ${largestValue} atomic units`)
}

function refuse(field: string, value: string, fix: string): never {
  const shown = JSON.stringify(value.slice(0, 80))
  throw new LedgerError('invalid_payment', `${shown} is not a valid ${field} of a payment: ${fix}`)
}
