import type { z } from 'zod'

/** The bodies that the interfaces of other vendors accept. */
export type WireRequestSchemas = {
  readonly responses: z.ZodType
  readonly messages: z.ZodType
  readonly countTokens: z.ZodType
  readonly imageGenerations: z.ZodType
}
