const types = {
  400: 'invalid_request_error',
  413: 'invalid_request_error',
  429: 'invalid_request_error',
  500: 'api_error',
  503: 'service_unavailable',
} as const

export type ErrorDetails = {
  readonly status: keyof typeof types
  readonly code: string
  readonly message: string
  /** The header or field that is wrong. */
  readonly param?: string
}

/** An error in the shape that OpenAI's clients read. */
export function errorBody({ status, code, message, param }: ErrorDetails): object {
  return { error: { message, type: types[status], code, param: param ?? null } }
}
