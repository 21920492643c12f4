import { errorResponse, sendError } from '@farebox/http'
import { type LedgerStore, parsePaymentId, publicPayment } from '@farebox/ledger'
import type { RequestHandler } from 'express'

/** `GET /v1/payments/{id}`: the state of a payment, for anyone who knows its id. */
export function paymentEndpoint(store: Pick<LedgerStore, 'load'>): RequestHandler {
  return async function handlePayment(request, response) {
    const id = parsePaymentId(String(request.params['id']))
    const payment = id && (await store.load(id))
    if (payment === undefined) {
      const message =
        'No payment has this id. The id of a payment is in the X-Payment-Id header of its response.'
      return sendError(response, errorResponse(404, { code: 'not_found', message, param: 'id' }))
    }
    response.set('Cache-Control', 'no-store').json(publicPayment(payment))
  }
}
