import type { RequestHandler } from 'express'
import type { Paywall } from '../paywall/assemble-paywall.ts'
import { resourceUrlOf } from '../request/paid-request.ts'
import { addressOf } from './address-of.ts'

/** As Express matches routes: in any case, with or without a slash at the end. */
const paths = /^\/v1\/channel(?:s\/(\w+))?\/?$/i

const description = 'Returns the rest of a payment channel to its payer.'

/**
 * Answers `GET /v1/channel`, where payers fill their payment channels and close them, and
 * `GET /v1/channels/{id}`, which shows one. Passes on everything else, and everything without `channels`.
 */
export function channelRoutes({
  channelEndpoint,
  publicUrl,
}: Pick<Paywall, 'channelEndpoint' | 'publicUrl'>): RequestHandler {
  return async function handleChannel(request, response, next) {
    const [found, id] = paths.exec(request.path) ?? []
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (channelEndpoint === undefined || found === undefined || !isRead) return next()
    if (id !== undefined) {
      const channel = await channelEndpoint.figures(id)
      if (channel === undefined) return next()
      response.set('Cache-Control', 'no-store').json(channel)
      return
    }
    const url = resourceUrlOf(addressOf(request), publicUrl)
    const { status, headers, body } = await channelEndpoint.answer({
      headers: { 'payment-signature': request.get('payment-signature') },
      resource: { url, description, mimeType: 'application/json' },
    })
    response.status(status).set(headers).json(body)
  }
}
