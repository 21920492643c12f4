import { z } from 'zod'

/** A field that may be absent, null or an empty list. Anything else is refused with the reason. */
export function refusedField(reason: string): z.ZodType {
  return z
    .unknown()
    .optional()
    .refine((value) => requestsNothing(value), { error: reason })
    .meta({ type: ['array', 'null'], maxItems: 0, description: `It ${reason}.` })
}

function requestsNothing(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}
