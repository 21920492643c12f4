import type { RequestHandler } from 'express'
import type { Paywall } from '../paywall/assemble-paywall.ts'
import { paymentHeadersOf, resourceUrlOf } from '../request/paid-request.ts'
import { addressOf } from './address-of.ts'

/**
 * Answers `GET /v1/channel`, where payers fill their payment channels and close them, and
 * `GET /v1/channels/{id}`, which shows one. Passes on everything else, and everything without `channels`.
 */
export function channelRoutes({
  channelEndpoint,
  publicUrl,
}: Pick<Paywall, 'channelEndpoint' | 'publicUrl'>): RequestHandler {
  return async function handleChannel(request, response, next) {
    const [found, id] = /^\/v1\/channel(?:s\/(\w+))?$/.exec(request.path) ?? []
    if (channelEndpoint === undefined || found === undefined || request.method !== 'GET') {
      return next()
    }
    response.set('Cache-Control', 'no-store')
    if (id !== undefined) {
      const channel = await channelEndpoint.figures(id)
      if (channel === undefined) return next()
      response.json(channel)
      return
    }
    const url = resourceUrlOf(addressOf(request), publicUrl)
    const { status, headers, body } = await channelEndpoint.answer({
      headers: paymentHeadersOf(request),
      resource: { url, description: 'A payment channel', mimeType: 'application/json' },
    })
    response.status(status).set(headers).json(body)
  }
}
