import type { ErrorCode, ImageErrorName } from '@farebox/api'
import { type ErrorResponse, errorResponse, imageErrorResponse } from './error-response.ts'
import { errorBodyOf, type PathMethods } from './path-methods.ts'

export type PathFailure = {
  /** Without its query. */
  readonly path: string
  readonly status: ErrorResponse['status']
  readonly code: ErrorCode
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A failure of the service, in the shape that `paths` give for its path. */
export function pathError(paths: readonly PathMethods[], failure: PathFailure): ErrorResponse {
  const { path, status, code, message, headers = {} } = failure
  const errorBody = errorBodyOf(paths, path)
  if (errorBody !== undefined) {
    return { status, headers, code, body: errorBody({ status, code, message }) }
  }
  const name = imagePaths.find(([known]) => known.test(path))?.[1]
  return name === undefined
    ? errorResponse(status, { code, message }, headers)
    : { ...imageErrorResponse(status, name, { code, message }), headers }
}

const imagePaths: readonly (readonly [RegExp, ImageErrorName])[] = [
  [/^\/v1\/images\/estimate\/?$/i, 'ESTIMATE_ERROR'],
  [/^\/v1\/images\/generate\/?$/i, 'GENERATION_ERROR'],
]
