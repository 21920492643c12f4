import { invalidOption } from '../invalid-option.ts'
import { isAddress } from './is-address.ts'
import type { PaymentSigner } from './payment-signer.ts'

/** A wallet client of viem signs too, and has its address in `account`. Throws `invalid_option`. */
export function requireAccount(account: PaymentSigner | null | undefined): PaymentSigner {
  if (isAddress(account?.address) && typeof account.signTypedData === 'function') return account
  throw invalidOption(
    'account must be an account of viem, not a key; pass a wallet client as signer.',
  )
}
