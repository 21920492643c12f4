import { z } from 'zod'

const amount = z.object({
  usdc: z.string().regex(/^\d+$/).describe('Atomic units, 10⁻⁶ USDC'),
  usd: z.string(),
})

/** The response of `GET /v1/payments/{id}`, and the record in the receipt comment of a stream. */
export const paymentSchema = z.object({
  id: z.string(),
  status: z.enum([
    'settling',
    'unknown',
    'settled',
    'serving',
    'completed',
    'failed',
    'rejected',
    'void',
  ]),
  kind: z
    .enum(['channel_call', 'channel_deposit'])
    .optional()
    .describe('Present for a call paid from a payment channel, and for a deposit into one'),
  channelId: z.string().optional(),
  resource: z.string(),
  model: z.string(),
  network: z.string(),
  asset: z.string(),
  payer: z.string(),
  paid: amount,
  cost: amount.nullable(),
  refund: amount
    .extend({
      status: z.enum(['due', 'accruing', 'submitted', 'confirmed', 'blocked', 'released']),
      transaction: z.string().nullable(),
    })
    .nullable(),
  settlement: z.object({ transaction: z.string(), block: z.int() }).nullable(),
  usage: z.looseObject({}).nullable(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
})

/** A payment, its cost and its refund. */
export type PaymentBody = z.output<typeof paymentSchema>
