import type { Response } from 'express'
import { admissionResponse } from '../gate/admission-response.ts'
import type { NotAdmitted } from '../gate/payment-gate.ts'
import { sendError } from './send-error.ts'

/** Answers a request that is not served: with the terms, the earlier response, or an error. */
export function respondToAdmission(response: Response, admission: NotAdmitted): void {
  const outcome = admissionResponse(admission)
  response.status(outcome.status).set(outcome.headers)
  switch (outcome.type) {
    case 'terms':
      response.json(outcome.body)
      return
    case 'replay':
      response.end(outcome.body)
      return
    case 'error':
      return sendError(response, { status: outcome.status, ...outcome.error })
  }
}
