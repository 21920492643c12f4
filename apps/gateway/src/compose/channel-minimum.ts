import { least, type Usdc } from '@farebox/money'
import { defaultChannelPolicy } from '@farebox/payments'
import type { Config } from '../settings.ts'

/** The minimum charge of a call paid from a channel: never more than the ordinary minimum. */
export function channelMinimumOf(config: Config): Usdc {
  const { MIN_CHARGE_USDC, CHANNEL_MIN_CHARGE_USDC } = config
  return least(MIN_CHARGE_USDC, CHANNEL_MIN_CHARGE_USDC ?? defaultChannelPolicy.minCharge)
}
