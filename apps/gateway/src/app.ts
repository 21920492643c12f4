import { openApiDocument, type SiteFacts } from '@farebox/api'
import {
  type FreeEndpointsOptions,
  freeEndpoints,
  missingPage,
  site,
} from '@farebox/free-endpoints'
import { type BodyBudget, cors, errorHandler, unrouted } from '@farebox/http'
import { siteDirectory } from '@farebox/web'
import { wireRequestSchemas } from '@farebox/wires'
import express, { type Express, type RequestHandler } from 'express'
import { wellKnownX402 } from './endpoints/discovery.ts'
import { llmsText } from './endpoints/llms-text.ts'
import { refusedPayments } from './endpoints/refused-payments.ts'
import { pathMethods } from './path-methods.ts'

export type AppOptions = {
  /** First, before a body is read. */
  readonly rateLimit: RequestHandler
  readonly requestLog: RequestHandler
  readonly trustProxy: readonly string[]
  readonly publicUrl: string
  readonly version: string
  readonly free: Omit<FreeEndpointsOptions, 'budget'>
  readonly budget: BodyBudget
  readonly chatCompletions: RequestHandler
  readonly responses: RequestHandler
  readonly messages: RequestHandler
  readonly imagesGenerate: RequestHandler
  readonly imageGenerations: RequestHandler
  readonly payment: RequestHandler
  readonly channel: readonly RequestHandler[]
  readonly siteFacts: () => SiteFacts
  readonly reportFault: Parameters<typeof errorHandler>[0]
}

/** The route table of the gateway. */
export function createApp(options: AppOptions): Express {
  const { publicUrl, version, free, budget } = options
  const app = express()
  app.disable('etag').disable('x-powered-by')
  app.set('trust proxy', [...options.trustProxy])
  app.use(options.requestLog, cors, options.rateLimit)

  app.post('/v1/chat/completions', options.chatCompletions)
  app.post('/v1/responses', options.responses)
  app.post('/v1/messages', options.messages)
  app.post('/v1/images/generate', options.imagesGenerate)
  app.post('/v1/images/generations', options.imageGenerations)
  app.get('/v1/payments/:id', options.payment)
  app.get(['/v1/channel', '/v1/channels/:id'], ...options.channel)
  app.use(freeEndpoints({ ...free, budget }))

  const openApi = openApiDocument({
    serverUrl: publicUrl,
    version,
    endpoints: 'all',
    appendix: refusedPayments,
    chatRequests: free.storefront.chatRequestSchema,
    wireRequests: wireRequestSchemas,
  })
  const document = Buffer.from(JSON.stringify(openApi))
  app.get('/openapi.json', (_, response) => {
    response.type('json').send(document)
  })
  const pages = { directory: siteDirectory, facts: options.siteFacts }
  app.use(
    site({
      ...pages,
      index: {
        documentation: `${publicUrl}/docs`,
        openapi: `${publicUrl}/openapi.json`,
        agents: `${publicUrl}/llms.txt`,
        models: `${publicUrl}/v1/models`,
        chat: `${publicUrl}/v1/chat/completions`,
      },
    }),
  )
  app.get('/.well-known/x402', wellKnownX402(publicUrl))
  app.get('/llms.txt', llmsText(publicUrl, free.storefront))

  app.use(unrouted(pathMethods, missingPage(pages)))
  app.use(errorHandler(options.reportFault, pathMethods))
  return app
}
