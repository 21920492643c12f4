import type { EndpointError } from '../paid-endpoint.ts'

/** The answer to a payment without a body: a client that lost the body must not buy an example. */
export function missingBody(requiredField: string): EndpointError {
  return {
    status: 400,
    code: 'missing_field',
    message: `The request has no body, so ${requiredField} is missing. No money moved. Send the body too, with the same payment.`,
    param: requiredField,
  }
}
