import { z } from 'zod'

/** The name of a function, or of a schema. */
export const functionName = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,128}$/, 'must be 1 to 128 letters, digits, _ or -')
