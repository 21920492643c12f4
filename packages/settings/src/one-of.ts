import { z } from 'zod'

/** One of the listed values. */
export function oneOf<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, {
    error: ({ input }) =>
      `must be ${values.slice(0, -1).join(', ')} or ${values.at(-1)}, not ${JSON.stringify(input)}`,
  })
}
