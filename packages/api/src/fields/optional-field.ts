import type { z } from 'zod'

/** An optional field of a request, where `null` means absent. */
export function optionalField<Schema extends z.ZodType>(
  schema: Schema,
): z.ZodType<z.output<Schema> | undefined, z.input<Schema> | null | undefined> {
  return schema.nullish().transform((value) => value ?? undefined)
}
