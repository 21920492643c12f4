import type { CallHold } from './channel-book.ts'
import type { ChannelOffer } from './channel-offer.ts'
import type { OpenChannel } from './open-channels.ts'
import type { ChannelSigner } from './sign-channel.ts'

type Call = {
  readonly channel: OpenChannel
  readonly offer: ChannelOffer
  readonly hold: CallHold
  readonly signal: AbortSignal | undefined
}

/** Signs the voucher of a call. If the signer fails, the call costs nothing. */
export async function signVoucher(
  sign: ChannelSigner,
  { channel, offer, hold, signal }: Call,
): Promise<string> {
  try {
    return await sign.voucher({ ...channel, offer, max: hold.max, signal })
  } catch (error) {
    hold.end(0n)
    throw error
  }
}

/**
 * Signs a deposit that is counted against the caps, and the voucher of its call. If the signer
 * fails, or the signal is aborted meanwhile, neither is counted.
 */
export async function signDeposit(
  sign: ChannelSigner,
  { channel, offer, hold, signal }: Call,
  amount: bigint,
): Promise<string> {
  try {
    const header = await sign.deposit({ ...channel, offer, max: hold.max, signal }, amount)
    signal?.throwIfAborted()
    channel.save()
    return header
  } catch (error) {
    hold.end(0n)
    channel.giveBack(amount)
    throw error
  }
}
