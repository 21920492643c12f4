import { z } from 'zod'

/** A field that may only be absent or null; anything else is refused with the reason. */
export function refusedField(reason: string): z.ZodType {
  return z
    .unknown()
    .optional()
    .refine((value) => value === undefined || value === null, { error: reason })
}
