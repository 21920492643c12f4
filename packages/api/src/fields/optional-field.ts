import { z } from 'zod'

/** An optional field of a request, where `null` means absent. */
export function optionalField<Schema extends z.ZodType>(
  schema: Schema,
): z.ZodType<z.output<Schema> | undefined, z.input<Schema> | null | undefined> {
  return z.preprocess((value) => value ?? undefined, schema.optional())
}
