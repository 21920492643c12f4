import { z } from 'zod'

const amount = z.object({
  usdc: z.string().regex(/^\d+$/).describe('Atomic units, 10⁻⁶ USDC'),
  usd: z.string(),
})

/** The response of `GET /v1/channels/{id}`. */
export const channelSchema = z.object({
  id: z.string(),
  status: z.enum(['opening', 'open', 'closing', 'closed', 'frozen']),
  network: z.string(),
  asset: z.string(),
  payer: z.string(),
  deposited: amount,
  returned: amount.describe('Refunded or withdrawn'),
  charged: amount.describe('The cost of ended calls'),
  reserved: amount.describe('The maximums of calls in flight'),
  rest: amount.describe('What further calls can cost, or what a refund returns'),
  withdrawDelay: z.int().describe('Seconds that a withdrawal takes'),
  withdrawAt: z.iso.datetime().nullable().describe('When a pending withdrawal can be paid out'),
  createdAt: z.iso.datetime(),
  lastCallAt: z.iso.datetime(),
})

/** The 402 of `GET /v1/channel`. The terms are in its header. */
export const channelTermsSchema = z.object({
  statusCode: z.literal(402),
  error: z.string(),
  message: z.string(),
})

/** A payment channel, as `channelSchema` has it. */
export type ChannelBody = z.output<typeof channelSchema>
