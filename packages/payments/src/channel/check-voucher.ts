import type { ChannelConfig, Hex, Voucher } from '@farebox/ledger'
import { formatKeySignature, parseKeySignature } from '../signature/key-signature.ts'
import { createSignerRecovery, type RecoverSigner } from '../signature/recover-signer.ts'
import type { ChannelDigests } from './channel-digests.ts'

type SignedVoucher = {
  readonly channelId: Hex
  readonly config: Pick<ChannelConfig, 'payerAuthorizer'>
  readonly voucher: Voucher
}

/** Whether the channel contract accepts the signature of a voucher. */
export type CheckVoucher = (signed: SignedVoucher) => Promise<boolean>

/**
 * Creates the check of vouchers: 65 bytes r, s, v with v of 27 or 28 and s in the lower half, as the
 * contract requires them, by the channel's authorizer. A signature in another form would buy a call that
 * can never be claimed.
 */
export function createVoucherCheck(
  digests: Pick<ChannelDigests, 'voucher'>,
  recoverSigner: RecoverSigner = createSignerRecovery(),
): CheckVoucher {
  return async function checkVoucher({ channelId, config, voucher: { max, signature } }) {
    const parsed = parseKeySignature(signature)
    if (parsed === undefined || formatKeySignature(parsed) !== signature) return false
    const signer = await recoverSigner(digests.voucher(channelId, max), parsed)
    return signer === config.payerAuthorizer
  }
}
