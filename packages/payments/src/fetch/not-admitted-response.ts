import { admissionResponse } from '../gate/admission-response.ts'
import type { NotAdmitted } from '../gate/payment-gate.ts'
import { errorBody } from '../request/error-body.ts'

/** The response to a request that is not served: the terms, the earlier response, or an error. */
export function notAdmittedResponse(admission: NotAdmitted): Response {
  const outcome = admissionResponse(admission)
  const { status, headers } = outcome
  switch (outcome.type) {
    case 'terms':
      return Response.json(outcome.body, { status, headers })
    case 'replay':
      return new Response(new Uint8Array(outcome.body), { status, headers })
    case 'error':
      return Response.json(errorBody({ status: outcome.status, ...outcome.error }), {
        status,
        headers,
      })
  }
}
