import * as z from 'zod'
import { startsAt } from './dated.ts'

/** Decimal text above zero: digits with at most twelve decimals, no sign, no exponent. */
export const positiveDecimal: z.ZodString = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,12})?$/, 'must be decimal text with at most 12 decimals')
  .refine((text) => /[1-9]/.test(text), 'must be greater than zero')

/** A model id as requests write it. */
export const modelId: z.ZodString = z
  .string()
  .max(200)
  .regex(/^[A-Za-z0-9_/.:-]+$/, 'may have letters, digits and - _ / . : only')

/** A day or an instant in UTC. */
export const instant: z.ZodString = z
  .string()
  .regex(
    /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{3})?)?Z)?$/,
    'must be a day or an instant in UTC, ISO 8601',
  )

export const count: z.ZodInt = z.int().positive()

export const text: z.ZodString = z.string().min(1).max(500)

/** Whether dated entries follow one another. */
export function isAscending(entries: readonly { readonly effectiveFrom: string }[]): boolean {
  return entries.every((entry, index) => {
    const before = entries[index - 1]
    return before === undefined || startsAt(before) < startsAt(entry)
  })
}
