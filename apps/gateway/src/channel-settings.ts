import { integer, oneOf, type SettingTable, setting } from '@farebox/settings'
import { minimumCharge, usdcAmount } from '@farebox/storefront/settings'
import { z } from 'zod'

/** Environment variables of payment channels. */
export const channelSettings = {
  CHANNELS: setting(
    oneOf(['on', 'off']).optional(),
    'on where the chain has the contracts',
    'on sells from payment channels too; needs RELAYER_PRIVATE_KEY',
  ),
  CHANNEL_CODE_HASH: setting(
    z
      .string()
      .regex(/^0x[0-9a-f]{64}$/i, 'must be 0x and 64 hexadecimal digits')
      .transform((hash): `0x${string}` => `0x${hash.slice(2).toLowerCase()}`)
      .optional(),
    'any code',
    "Keccak-256 hash of the contract's code, which doctor prints; with any other code nothing is sold from channels",
  ),
  CHANNEL_WITHDRAW_DELAY_SECONDS: setting(
    integer(900, 2_592_000).default(86_400),
    '86400',
    'seconds that a withdrawal by the payer takes; channels with another delay are not accepted',
  ),
  CHANNEL_MIN_CHARGE_USDC: setting(
    minimumCharge.optional(),
    '0.0001',
    'minimum cost of a call paid from a channel',
  ),
  CHANNEL_MIN_DEPOSIT_USDC: setting(
    usdcAmount
      .refine((amount) => amount >= 20_000n && amount <= 5_000_000n, 'must be from 0.02 to 5')
      .optional(),
    '0.1',
    'minimum deposit that clients are asked for',
  ),
  CHANNEL_MAX_UNCLAIMED_USDC: setting(
    usdcAmount.optional(),
    '5',
    'maximum charged and not yet claimed per channel; beyond it, the channel pays for no call',
  ),
  CHANNEL_MAX_UNCLAIMED_TOTAL_USDC: setting(
    usdcAmount.optional(),
    '100',
    'the same for all channels together',
  ),
} as const satisfies SettingTable
