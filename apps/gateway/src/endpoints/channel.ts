import { errorResponse, sendError } from '@farebox/http'
import type { Paywall } from '@farebox/payments'
import { channelRoutes } from '@farebox/payments/express'
import type { RequestHandler } from 'express'

/**
 * `GET /v1/channel`: the terms of a payment channel, deposits, and closing. `GET /v1/channels/{id}`: the
 * figures of a channel, for anyone who knows its id.
 */
export function channelEndpoint(
  paywall: Pick<Paywall, 'channelEndpoint' | 'publicUrl'>,
): readonly RequestHandler[] {
  const message =
    paywall.channelEndpoint === undefined
      ? 'This service does not sell from payment channels. Pay with the exact scheme.'
      : 'No payment channel of this service has this id. A deposit at GET /v1/channel opens one.'
  const notFound = errorResponse(404, { code: 'not_found', message, param: 'id' })
  return [channelRoutes(paywall), (_, response) => sendError(response, notFound)]
}
