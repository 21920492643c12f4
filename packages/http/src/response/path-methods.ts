/** The methods that a path allows, and the shape of its errors, and of those below it, if it is not OpenAI's. */
export type PathMethods = readonly [
  path: RegExp,
  allowed: readonly string[],
  errorBody?: (error: PathError) => object,
]

type PathError = { readonly status: number; readonly code: string; readonly message: string }

/** The shape of the errors of a path; undefined if it is OpenAI's, or a shape of images. */
export function errorBodyOf(paths: readonly PathMethods[], path: string): PathMethods[2] {
  const above = path.split('/', 3).join('/')
  const known =
    paths.find(([pattern]) => pattern.test(path)) ?? paths.find(([pattern]) => pattern.test(above))
  return known?.[2]
}
