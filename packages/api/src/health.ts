import { z } from 'zod'

/** The answer of `GET /v1/health`. */
export const healthSchema = z.object({
  status: z.enum(['ok', 'degraded', 'down']),
  timestamp: z.iso.datetime(),
})

/** The answer of `GET /health`. */
export const networkHealthSchema = healthSchema.extend({
  network: z.string(),
  mainnet: z.boolean(),
  cdp: z.string(),
})

export type Health = z.output<typeof healthSchema>
export type NetworkHealth = z.output<typeof networkHealthSchema>
