import type { ChannelRecord } from '@farebox/ledger'
import { addressRefusal } from '../gate/address-refusal.ts'
import { type Refusal, tooManyFaults } from '../gate/check-payer.ts'
import type { ChannelCall } from './channel-call.ts'
import type { ChannelPorts } from './channel-ports.ts'

/**
 * Why a call must not be sold from its channel although a voucher may cover it; null if it may. The
 * call can still be paid by `exact`.
 */
export async function refuseChannel(
  { obstacle, exposure, channelTerms }: ChannelPorts,
  channel: ChannelRecord | undefined,
  { ceiling }: Pick<ChannelCall, 'ceiling'>,
): Promise<Refusal | null> {
  const { status, withdrawAt = null, charged = 0n, reserved = 0n, claimed = 0n } = channel ?? {}
  if (status === 'frozen') return frozenChannel
  if (status === 'closing') {
    return refusal('channel_closing', 'The rest of the channel is being returned.')
  }
  if (withdrawAt !== null) {
    return refusal('channel_withdrawal_pending', 'A withdrawal from the channel is pending.')
  }
  const obstacleNow = await obstacle()
  if (obstacleNow !== undefined) {
    return refusal(obstacleNow, 'Payment channels are unavailable for the moment.')
  }
  const { maxUnclaimed, maxUnclaimedTotal } = channelTerms.policy
  if (charged + reserved - claimed + ceiling > maxUnclaimed) return limitReached.of_channel
  return (await exposure.unclaimed()) + ceiling > maxUnclaimedTotal ? limitReached.in_all : null
}

/** Refuses a payer, or a network address, with too many payments that ended unserved. */
export async function refuseClient(
  { payerBudget, unservedBudget }: ChannelPorts,
  { config: { payer }, request: { clientAddress } }: Pick<ChannelCall, 'config' | 'request'>,
): Promise<Refusal | null> {
  const ofAddress = unservedBudget.refusalOf(clientAddress)
  if (ofAddress !== undefined) return addressRefusal(ofAddress)
  // Code decides about deposits only: each has its own check.
  const ofPayer = await payerBudget.refusalOf({ payer, code: null })
  return ofPayer && tooManyFaults(ofPayer)
}

/** A limit of the amount at risk. */
export const limitReached: Readonly<Record<'of_channel' | 'of_payer' | 'in_all', Refusal>> = {
  of_channel: refusal(
    'channel_limit_reached',
    'The channel has reached its limit. It can be used again after its next claim.',
  ),
  of_payer: refusal(
    'channel_payer_limit_reached',
    "Most of the limit of all channels is in use, and this payer's channels have their share of it. They can be used again after their next claim, or when their calls in flight end.",
  ),
  in_all: refusal(
    'channels_limit_reached',
    'All channels together have reached their limit. They can be used again after their next claim.',
  ),
}

/** A deposit was made before sales stopped. */
export const salesStopped: Refusal = {
  reason: 'payments_unavailable',
  message: 'Sales are stopped. Send the call again later.',
}

/** A deposit was made before its payer reached its own limit. */
export const payerLimitReached: Refusal = {
  reason: 'payer_limit_reached',
  message: 'The payer has reached its limit. Send the call again later.',
}

/** A channel that never sells again. */
export const frozenChannel: Refusal = refusal(
  'channel_frozen',
  'The channel is closed for good. Open another one.',
)

/** The log names the damaged row of the ledger. */
export const unreadable: Refusal = refusal(
  'channel_unreadable',
  "The gateway's record of the channel is damaged. Its operator has to repair it.",
)

function refusal(reason: string, message: string): Refusal {
  return { reason, message: `${message} Pay for this call with the exact scheme.` }
}
