import { type Address, type Hex, keccak256, stringToHex } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'

export type DevnetAccount = { readonly address: Address; readonly privateKey: Hex }

export function accountOf(privateKey: Hex): DevnetAccount {
  return { address: privateKeyToAddress(privateKey), privateKey }
}

export function generateAccount(): DevnetAccount {
  return accountOf(generatePrivateKey())
}

/**
 * Payer number `index`, the same on every devnet. Its key is the hash of a public phrase, so anyone
 * can compute it: never send it anything of value on a real network.
 */
export function payerAccount(index: number): DevnetAccount {
  return accountOf(keccak256(stringToHex(`farebox devnet: public test key of payer ${index}`)))
}
