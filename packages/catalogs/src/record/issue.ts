import type * as z from 'zod'

/** A mistake in an operator's file and its path, such as `chat.change.openai/gpt-5.price.input`. */
export type Issue = { readonly path: string; readonly message: string }

/** The issues of a schema, as text. */
export function issuesOf(error: z.ZodError): readonly Issue[] {
  return error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))
}
