import { type ErrorAnswer, errorAnswer } from '@farebox/free-endpoints'
import type { RouteError } from '../paid/paid-endpoint.ts'

/** An error in the shape that OpenAI's clients read. */
export function chatError({ status, headers, ...error }: RouteError): ErrorAnswer {
  return errorAnswer(status, error, headers)
}
