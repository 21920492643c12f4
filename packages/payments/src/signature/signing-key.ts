import type { Hex } from '@farebox/ledger'
import { privateKeyToAddress } from 'viem/accounts'

/**
 * An account whose key is elsewhere, such as in a KMS or an HSM. It signs digests of 32 bytes: r, s and
 * v in 65 bytes. A `LocalAccount` of viem is one, if it has `sign`.
 */
export type SigningAccount = {
  readonly address: Hex
  sign(parameters: { readonly hash: Hex }): Promise<Hex>
}

/** A private key as hexadecimal text, or an account that signs elsewhere. */
export type SigningKey = Hex | SigningAccount

/** The address that a key signs for. */
export function signingAddress(key: SigningKey): Hex {
  return typeof key === 'string' ? privateKeyToAddress(key) : key.address
}
