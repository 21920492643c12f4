import type { Health, NetworkHealth, Readiness } from '@farebox/api'
import {
  type BodyBudget,
  bodyErrorResponse,
  clientSignal,
  errorResponse,
  imageBodyErrorResponse,
  imageErrorResponse,
  readJsonBody,
  sendError,
} from '@farebox/http'
import { quoteChatRequest, quoteImageEstimate, type Storefront } from '@farebox/storefront'
import { countTokensWire, responsesWire } from '@farebox/wires'
import { type Request, type RequestHandler, Router } from 'express'
import { countTokens } from './endpoints/count-tokens.ts'
import { estimateChat } from './endpoints/estimate-chat.ts'
import { estimateImage } from './endpoints/estimate-image.ts'
import { findModel } from './endpoints/find-model.ts'
import { listChatModels, listImageModels } from './endpoints/list-models.ts'
import { serveList } from './endpoints/serve-list.ts'

export type FreeEndpointsOptions = {
  readonly storefront: Storefront
  readonly budget: BodyBudget
  /** What `/health` reports about payments in addition to the status. */
  readonly network: Pick<NetworkHealth, 'network' | 'mainnet' | 'cdp'>
  readonly condition: () => Omit<Health, 'timestamp'>
}

/** The endpoints that need no payment: estimates, models, health. */
export function freeEndpoints(options: FreeEndpointsOptions): Router {
  const { storefront } = options
  const router = Router()
  router.post('/v1/estimate', chatEstimateEndpoint(options))
  router.post('/v1/images/estimate', imageEstimateEndpoint(options))
  router.get('/v1/models', serveList(storefront, listChatModels))
  router.get('/v1/models/*id', findModel(storefront))
  router.get('/v1/images/models', serveList(storefront, listImageModels))
  router.post(
    '/v1/responses/input_tokens',
    countTokens({
      ...options,
      wire: responsesWire,
      body: (input_tokens) => ({ object: 'response.input_tokens', input_tokens }),
    }),
  )
  router.post(
    '/v1/messages/count_tokens',
    countTokens({ ...options, wire: countTokensWire, body: (input_tokens) => ({ input_tokens }) }),
  )
  router.use(healthEndpoints(options))
  return router
}

/** What health and readiness are read from. */
export type HealthEndpointsOptions = Pick<FreeEndpointsOptions, 'network' | 'condition'> & {
  readonly storefront: Pick<Storefront, 'now'>
}

/** Health and readiness alone, for probes on a port without a rate limit. */
export function healthEndpoints(options: HealthEndpointsOptions): Router {
  const router = Router()
  router.get('/v1/health', (_, response) => {
    response.set('Cache-Control', 'no-store').json(health(options))
  })
  router.get('/health', (_, response) => {
    response.set('Cache-Control', 'no-store').json({ ...health(options), ...options.network })
  })
  router.get('/ready', (_, response) => {
    const readiness = readinessOf(options)
    response
      .status(readiness.ready ? 200 : 503)
      .set('Cache-Control', 'no-store')
      .json(readiness)
  })
  return router
}

function health({ condition, storefront }: HealthEndpointsOptions): Health {
  const { status, ...details } = condition()
  return { status, timestamp: new Date(storefront.now()).toISOString(), ...details }
}

/** Issues that do not keep a replica from answering its clients. */
const harmless: ReadonlySet<string> = new Set([
  'channels_stopped',
  'refunds_paused',
  'rows_unreadable',
  'provider_key_rejected',
  'models_unavailable',
  'redis_unavailable',
  'operator_files_refused',
])

function readinessOf({ condition }: HealthEndpointsOptions): Readiness {
  const issues = condition().issues?.filter((issue) => !harmless.has(issue)) ?? []
  return issues.length === 0 ? { ready: true } : { ready: false, issues }
}

function chatEstimateEndpoint({ storefront, budget }: FreeEndpointsOptions): RequestHandler {
  return async function handleChatEstimate(request, response) {
    const body = await readJsonBody(request, budget)
    if (body.status !== 'json') return sendError(response, bodyErrorResponse(body))
    const quoted = await quoteChatRequest(body.value, storefront, {
      signal: clientSignal(response),
    })
    if (quoted.status === 'rejected')
      return sendError(response, errorResponse(400, quoted.rejection))
    response.json(estimateChat(quoted.sale, detailOf(request)))
  }
}

function imageEstimateEndpoint({ storefront, budget }: FreeEndpointsOptions): RequestHandler {
  return async function handleImageEstimate(request, response) {
    const body = await readJsonBody(request, budget)
    if (body.status !== 'json')
      return sendError(response, imageBodyErrorResponse(body, 'ESTIMATE_ERROR'))
    const quoted = quoteImageEstimate(body.value, storefront)
    if (quoted.status === 'rejected') {
      const { error, ...detail } = quoted.rejection
      return sendError(response, imageErrorResponse(400, error, detail))
    }
    response.json(estimateImage(quoted.sale, detailOf(request)))
  }
}

function detailOf(request: Request): 'total' | 'lines' {
  return request.query['explain'] === '1' ? 'lines' : 'total'
}
