/** The methods that a path allows, and the shape of its errors if it is not OpenAI's. */
export type PathMethods = readonly [
  path: RegExp,
  allowed: readonly string[],
  errorBody?: (error: PathError) => object,
]

type PathError = { readonly status: number; readonly code: string; readonly message: string }
