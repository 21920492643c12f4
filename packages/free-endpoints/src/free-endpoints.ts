import type { Health, NetworkHealth } from '@farebox/api'
import { type Request, type RequestHandler, type Response, Router } from 'express'
import { estimateChat } from './endpoints/estimate-chat.ts'
import { estimateImage } from './endpoints/estimate-image.ts'
import { listChatModels, listImageModels } from './endpoints/list-models.ts'
import { listing } from './endpoints/listing.ts'
import type { BodyBudget } from './http/body-budget.ts'
import { errorAnswer, imageErrorAnswer } from './http/error-answer.ts'
import { readJsonBody } from './http/read-json-body.ts'
import { answer, unreadableAnswer, unreadableImageAnswer } from './http/respond.ts'
import { quoteChatRequest } from './quote/quote-chat-request.ts'
import { quoteImageEstimate } from './quote/quote-image-request.ts'
import type { Storefront } from './quote/storefront.ts'

export type FreeEndpointsOptions = {
  readonly storefront: Storefront
  readonly budget: BodyBudget
  /** What `/health` says of payments beside the status. */
  readonly network: Pick<NetworkHealth, 'network' | 'mainnet' | 'cdp'>
  readonly condition: () => Pick<Health, 'status' | 'issues'>
}

/** The endpoints that need no payment: estimates, models, health. */
export function freeEndpoints(options: FreeEndpointsOptions): Router {
  const { storefront } = options
  const router = Router()
  router.post('/v1/estimate', chatEstimateEndpoint(options))
  router.post('/v1/images/estimate', imageEstimateEndpoint(options))
  router.get('/v1/models', listing(storefront, listChatModels))
  router.get('/v1/images/models', listing(storefront, listImageModels))
  router.get('/v1/health', (_, response) => {
    response.set('Cache-Control', 'no-store').json(health(options))
  })
  router.get('/health', (_, response) => {
    response.set('Cache-Control', 'no-store').json({ ...health(options), ...options.network })
  })
  return router
}

function health({ condition, storefront }: FreeEndpointsOptions): Health {
  const { status, issues } = condition()
  const timestamp = new Date(storefront.now()).toISOString()
  return { status, timestamp, ...(issues && { issues }) }
}

function chatEstimateEndpoint({ storefront, budget }: FreeEndpointsOptions): RequestHandler {
  return async function handleChatEstimate(request, response) {
    const body = await readJsonBody(request, budget)
    if (body.status !== 'json') return answer(response, unreadableAnswer(body))
    const quoted = await quoteChatRequest(body.value, storefront, goneSignal(response))
    if (quoted.status === 'refused') return answer(response, errorAnswer(400, quoted.refusal))
    response.json(estimateChat(quoted.sale, detailOf(request)))
  }
}

function imageEstimateEndpoint({ storefront, budget }: FreeEndpointsOptions): RequestHandler {
  return async function handleImageEstimate(request, response) {
    const body = await readJsonBody(request, budget)
    if (body.status !== 'json')
      return answer(response, unreadableImageAnswer(body, 'ESTIMATE_ERROR'))
    const quoted = quoteImageEstimate(body.value, storefront)
    if (quoted.status === 'refused') {
      const { error, ...detail } = quoted.refusal
      return answer(response, imageErrorAnswer(400, error, detail))
    }
    response.json(estimateImage(quoted.sale, detailOf(request)))
  }
}

function detailOf(request: Request): 'total' | 'lines' {
  return request.query['explain'] === '1' ? 'lines' : 'total'
}

/** Fires when the client is gone, so that nobody counts for nobody. */
function goneSignal(response: Response): AbortSignal {
  const gone = new AbortController()
  response.once('close', () => {
    gone.abort()
  })
  return gone.signal
}
