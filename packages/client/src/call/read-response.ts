import { FareboxError } from '../farebox-error.ts'
import { apiError } from '../http/api-error.ts'
import { readJson } from '../http/read-json.ts'
import { responseDetails } from '../http/response-details.ts'
import type { BodyShape } from './body-shapes.ts'

/** Returns the body of a successful response. Throws the gateway's error, or `invalid_response`. */
export async function readResponse<Body>(
  response: Response,
  shape: BodyShape<Body>,
): Promise<Body> {
  if (!response.ok) throw await apiError(response)
  const body = asBody(await readJson(response), shape)
  if (body !== undefined) return body
  const message = 'The response body does not match the API.'
  throw new FareboxError('invalid_response', message, responseDetails(response))
}

/** The value as a body of this shape; `undefined` if it has another one. */
export function asBody<Body>(value: unknown, shape: BodyShape<Body>): Body | undefined {
  return shape(value) ? (value as Body) : undefined
}
