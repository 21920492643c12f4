import { z } from 'zod'

/** The response of `GET /v1/health`. */
export const healthSchema = z.object({
  status: z.enum(['ok', 'degraded', 'down']),
  timestamp: z.iso.datetime(),
  issues: z
    .array(z.enum(['sales_stopped', 'refunds_paused']))
    .optional()
    .describe('What is wrong if the status is not ok'),
})

/** The response of `GET /health`. */
export const networkHealthSchema = healthSchema.extend({
  network: z.string(),
  mainnet: z.boolean(),
  cdp: z.string(),
})

export type Health = z.output<typeof healthSchema>
export type NetworkHealth = z.output<typeof networkHealthSchema>
