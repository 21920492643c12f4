import { errorResponse, sendError } from '@farebox/http'
import { type LedgerStore, parsePaymentId, publicPayment } from '@farebox/ledger'
import type { RequestHandler } from 'express'

/** `GET /v1/payments/{id}`: what became of a payment, for everyone who knows its id. */
export function paymentEndpoint(store: Pick<LedgerStore, 'load'>): RequestHandler {
  return async function handlePayment(request, response) {
    const id = parsePaymentId(String(request.params['id']))
    const payment = id && (await store.load(id))
    if (payment === undefined) {
      const message =
        'There is no such payment. Its id is in the X-Payment-Id header of the answer.'
      return sendError(response, errorResponse(404, { code: 'not_found', message, param: 'id' }))
    }
    response.set('Cache-Control', 'no-store').json(publicPayment(payment))
  }
}
