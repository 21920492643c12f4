import { errorResponse, sendError } from '@farebox/http'
import type { ChannelEndpoint } from '@farebox/payments'
import type { Request, RequestHandler } from 'express'

export type ChannelRouteOptions = {
  /** Undefined if channels are off. */
  readonly channels: ChannelEndpoint | undefined
  readonly publicUrl: string
}

const path = '/v1/channel'

/** `GET /v1/channel`: the terms of a payment channel, deposits, and closing. */
export function channelEndpoint({ channels, publicUrl }: ChannelRouteOptions): RequestHandler {
  const description = 'Returns the rest of a payment channel to its payer.'
  const resource = { url: publicUrl + path, description, mimeType: 'application/json' }
  return async function handleChannel(request, response) {
    if (channels === undefined) return sendError(response, noChannels)
    const { status, headers, body } = await channels.answer({
      headers: { 'payment-signature': paymentOf(request) },
      resource,
    })
    response.status(status).set(headers).json(body)
  }
}

/** `GET /v1/channels/{id}`: the figures of a channel, for anyone who knows its id. */
export function channelFiguresEndpoint(channels: ChannelEndpoint | undefined): RequestHandler {
  return async function handleChannelFigures(request, response) {
    const channel = await channels?.figures(String(request.params['id']))
    if (channel === undefined) return sendError(response, channels ? unknownChannel : noChannels)
    response.set('Cache-Control', 'no-store').json(channel)
  }
}

function paymentOf(request: Request): string | undefined {
  return request.get('payment-signature')
}

const unknownChannel = notFound('No payment channel of this service has this id.')
const noChannels = notFound('This service does not sell from payment channels.')

function notFound(message: string): ReturnType<typeof errorResponse> {
  return errorResponse(404, { code: 'not_found', message, param: 'id' })
}
