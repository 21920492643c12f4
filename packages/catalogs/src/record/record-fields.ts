import * as z from 'zod'

/** Positive decimal text: digits with at most twelve decimals, no sign, no exponent. */
export const positiveDecimal: z.ZodString = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,12})?$/, 'must be decimal text with at most 12 decimals')
  .refine((text) => /[1-9]/.test(text), 'must be greater than zero')

/** Decimal text, or a JSON number that prints as decimal text. */
export const decimal: z.ZodType<string> = z
  .union([z.string(), z.number().transform(String)])
  .pipe(positiveDecimal)

/** A model id as used in requests. */
export const modelId: z.ZodString = z
  .string()
  .max(200)
  .regex(/^[A-Za-z0-9_/.:-]+$/, 'may only contain letters, digits and - _ / . :')

/** A date or a time in UTC. */
export const instant: z.ZodString = z
  .string()
  .refine(isInstant, 'must be an ISO 8601 date or UTC time, such as 2027-01-01')

function isInstant(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{3})?)?Z)?$/.test(text)) return false
  const at = Date.parse(text)
  // The 30th of February is parsed as a day of March.
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text.slice(0, 10))
}

export const count: z.ZodInt = z.int().positive()

/** Basis points of a margin. */
export const markup: z.ZodInt = z.int().min(0).max(1_000_000)

export const text: z.ZodString = z.string().min(1).max(500)

/** A list of models, none of which is there twice. */
export function distinctModels<Model extends { readonly id: string }>(
  model: z.ZodType<Model>,
): z.ZodArray<z.ZodType<Model>> {
  return z
    .array(model)
    .refine(
      (models) => new Set(models.map(({ id }) => id)).size === models.length,
      'must not list the same id twice',
    )
}

/** Whether dated entries are in ascending order. */
export function isAscending(entries: readonly { readonly effectiveFrom: string }[]): boolean {
  return entries.every((entry, index) => {
    const before = entries[index - 1]
    // An invalid date is reported by itself, and is not compared.
    return !(
      before !== undefined && Date.parse(before.effectiveFrom) >= Date.parse(entry.effectiveFrom)
    )
  })
}
