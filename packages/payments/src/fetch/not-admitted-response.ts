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
      // A 204 must have no body at all.
      return new Response(outcome.body.length > 0 ? streamOf(outcome.body) : null, {
        status,
        headers,
      })
    case 'error':
      return Response.json(errorBody({ status: outcome.status, ...outcome.error }), {
        status,
        headers,
      })
  }
}

const pieceBytes = 65_536

/** A `Response` would copy all of it at once. */
function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array<ArrayBuffer>> {
  let start = 0
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(bytes.slice(start, start + pieceBytes))
      start += pieceBytes
      if (start >= bytes.length) controller.close()
    },
  })
}
