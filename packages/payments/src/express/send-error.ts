import type { Response } from 'express'

export type ErrorDetails = {
  readonly status: 400 | 500 | 503
  readonly code: string
  readonly message: string
  readonly param?: string
}

const types = {
  400: 'invalid_request_error',
  500: 'api_error',
  503: 'service_unavailable',
} as const

/** Sends an error in the shape that OpenAI's clients read. */
export function sendError(
  response: Response,
  { status, code, message, param }: ErrorDetails,
): void {
  response
    .status(status)
    .json({ error: { message, type: types[status], code, param: param ?? null } })
}
