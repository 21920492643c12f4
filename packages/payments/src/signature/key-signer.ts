import type { Hex } from '@farebox/ledger'
import secp256k1 from 'secp256k1'
import { privateKeyToAddress } from 'viem/accounts'
import { bytesToHex, hexToBytes, lowerHex, parseHexOf } from '../chain/hex.ts'
import { type KeySignature, parseKeySignature } from './key-signature.ts'
import { createSignerRecovery } from './recover-signer.ts'
import { SigningError } from './signing-error.ts'
import type { SigningAccount, SigningKey } from './signing-key.ts'

/**
 * Signs digests with one key, natively where `signatureBackend` is. A private key never leaves it.
 *
 * @throws {SigningError} from `sign`, if the key is elsewhere: `unavailable`, `wrong_key`.
 */
export type KeySigner = {
  readonly address: Hex
  sign(digest: Uint8Array): KeySignature | Promise<KeySignature>
}

/** One whose key is in this process. */
export type PrivateKeySigner = Omit<KeySigner, 'sign'> & {
  sign(digest: Uint8Array): KeySignature
}

/** `undefined` when the text is not a secp256k1 private key. */
export function createKeySigner(key: Hex): PrivateKeySigner | undefined
export function createKeySigner(key: SigningKey): KeySigner | undefined
export function createKeySigner(key: SigningKey): KeySigner | undefined {
  return typeof key === 'string' ? signerOf(key) : signerElsewhere(key)
}

function signerOf(privateKey: Hex): PrivateKeySigner | undefined {
  const hex = parseHexOf(32, privateKey)
  if (hex === undefined) return undefined
  const key = hexToBytes(hex)
  if (!secp256k1.privateKeyVerify(key)) return undefined
  return {
    address: lowerHex(privateKeyToAddress(hex)),
    sign(digest) {
      const { signature, recid } = secp256k1.ecdsaSign(digest, key)
      return { compact: signature, recovery: recid === 0 ? 0 : 1 }
    },
  }
}

/** Each signature is checked: a transaction signed by another key would be another account's. */
function signerElsewhere(account: SigningAccount): KeySigner {
  const address = lowerHex(account.address)
  const recover = createSignerRecovery()
  return {
    address,
    async sign(digest) {
      const signature = parseKeySignature(await signWith(account, digest))
      if (signature === undefined || (await recover(digest, signature)) !== address) {
        throw new SigningError('wrong_key', address)
      }
      return signature
    },
  }
}

async function signWith(account: SigningAccount, digest: Uint8Array): Promise<Hex> {
  try {
    return await account.sign({ hash: bytesToHex(digest) })
  } catch (cause) {
    throw new SigningError('unavailable', account.address, { cause })
  }
}
