import { Readable } from 'node:stream'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { type HandlerSale, paidHandler } from '../fetch/paid-handler.ts'
import type { Paywall } from '../paywall/assemble-paywall.ts'

/** The address of a Fastify route, what it sells, and how. */
export type RouteSale = Omit<HandlerSale, 'clientAddress'> & {
  readonly method: HTTPMethods
  readonly url: string
}

/**
 * A plugin with one route that is sold as `paidHandler` sells a handler. It leaves the body to the
 * sale as it arrived; the other routes of the app keep their parsers.
 */
export function paidRoute(paywall: Paywall, route: RouteSale): FastifyPluginAsync {
  const { method, url, ...sale } = { ...route }
  const handle = paidHandler(paywall, { ...sale, clientAddress: (_request, ip: string) => ip })
  return async function addPaidRoute(app) {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', (_request, body, done) => done(null, body))
    app.route({
      method,
      url,
      exposeHeadRoute: false,
      handler: async (request, reply) =>
        await reply.send(await handle(webRequest(request, reply), request.ip)),
    })
  }
}

function webRequest(request: FastifyRequest, reply: FastifyReply): Request {
  const { body, headers, host, method, originalUrl, protocol } = request
  const left = new AbortController()
  if (reply.raw.closed) left.abort()
  reply.raw.once('close', () => left.abort())
  const origin = URL.parse(`${protocol}://${host}`)?.origin ?? 'http://localhost'
  return new Request(origin + originalUrl, {
    method,
    // HTTP/2 has names that begin with a colon, which are not headers.
    headers: Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      value === undefined || name.startsWith(':') ? [] : [[name, String(value)]],
    ),
    signal: left.signal,
    ...(body instanceof Readable && { body: Readable.toWeb(body), duplex: 'half' }),
  })
}
