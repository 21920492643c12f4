/** A problem with a field of the request; `param` is null if it is with the body as a whole. */
type FieldProblem = { readonly message: string; readonly param: string | null }

/** The same problem with the caller's name of the field, in `param` and in the message. */
export function withCallerNames<Given extends FieldProblem>(
  problem: Given,
  fieldName: (field: string) => string,
): Given {
  const { message, param } = problem
  if (param === null) return problem
  const name = fieldName(param)
  return { ...problem, param: name, message: message.replace(param, () => name) }
}
