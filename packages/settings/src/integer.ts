import { z } from 'zod'

/** A whole number within bounds, as text: no sign, at most 15 digits. */
export function integer(min: number, max: number): z.ZodType<number, string> {
  const error = ({ input }: { readonly input?: unknown }): string =>
    `must be an integer from ${min} to ${max}, not ${JSON.stringify(input)}`
  return z
    .string()
    .regex(/^\d{1,15}$/, { error, abort: true })
    .refine((text) => Number(text) >= min && Number(text) <= max, { error })
    .transform(Number)
}
