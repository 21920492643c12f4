import { z } from 'zod'
import { optionalField } from '../fields/optional-field.ts'

/** The `name` of who wrote a message. */
export const speakerName = optionalField(
  z
    .string()
    .regex(
      /^[^\s<|\\/>]{1,64}$/,
      'must be 1 to 64 characters without white space, <, |, \\, / or >',
    ),
)
