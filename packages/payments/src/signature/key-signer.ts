import type { Hex } from '@farebox/ledger'
import { bytesToHex, lowerHex } from '../chain/hex.ts'
import { type KeySignature, parseKeySignature } from './key-signature.ts'
import { createPrivateKeySigner } from './private-key-signer.ts'
import { createSignerRecovery } from './recover-signer.ts'
import { SigningError } from './signing-error.ts'
import type { SigningAccount, SigningKey } from './signing-key.ts'

/**
 * Signs digests with one key, which is in this process or elsewhere.
 *
 * @throws {SigningError} from `sign`, if the key is elsewhere: `unavailable`, `wrong_key`.
 */
export type KeySigner = {
  readonly address: Hex
  sign(digest: Uint8Array): KeySignature | Promise<KeySignature>
}

/** `undefined` when the key is neither a secp256k1 private key nor an account. */
export function createKeySigner(key: SigningKey | undefined): KeySigner | undefined {
  if (typeof key === 'string') return createPrivateKeySigner(key)
  return key?.address === undefined ? undefined : signerElsewhere(key)
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
