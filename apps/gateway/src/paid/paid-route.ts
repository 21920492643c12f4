import {
  type BodyBudget,
  clientAddress,
  type JsonBody,
  readJsonBody,
  sendError,
} from '@farebox/http'
import {
  type Admission,
  type AdmissionRequest,
  type AdmissionStep,
  invalidReplaySecret,
  mayBeAbandoned,
  type PaymentGate,
  type PaymentHeaders,
} from '@farebox/payments'
import type { Request, RequestHandler, Response } from 'express'
import { discoveryExtensions } from '../endpoints/discovery.ts'
import type { SalesObstacle } from '../observe/health-monitor.ts'
import type { LossMonitor } from '../observe/loss-monitor.ts'
import type { Observation, Phase } from '../observe/observation.ts'
import { decline } from './decline.ts'
import { createDelivery } from './deliver.ts'
import type { RefundFault } from './failure/refund-fault.ts'
import { createServeFree, type FreeDeps } from './free/serve-free.ts'
import { obstacleError } from './obstacle-error.ts'
import type { OpenRequest, OpenRequests } from './open-requests.ts'
import type { EndpointError, PaidEndpoint } from './paid-endpoint.ts'
import { missingBody } from './quote/missing-body.ts'
import { createQuoteMemory } from './quote/quote-memory.ts'
import { serveOverlapping, startAdmission } from './serve-overlapping.ts'

export type PaidDeps = {
  readonly gate: PaymentGate
  readonly budget: BodyBudget
  /** The address of this service, without a trailing slash. */
  readonly publicUrl: string
  readonly openRequests: OpenRequests
  readonly lossMonitor: LossMonitor
  readonly refundFault: RefundFault
  /** The observation of the request that a response answers. */
  readonly observationOf: (response: Response) => Observation
  /** The current prices: another object once any of them changes. */
  readonly prices: () => object
  /** Why nothing can be sold at the moment, if so. */
  readonly salesObstacle: () => SalesObstacle | undefined
  /** Present if network addresses are served up to a quota without payment. */
  readonly free?: FreeDeps | undefined
}

/** A paid route. A gateway that is shutting down accepts no new request. */
export function paidRoute<Sale, Delivery>(
  endpoint: PaidEndpoint<Sale, Delivery>,
  deps: PaidDeps,
): RequestHandler {
  const handle = paidRequest(endpoint, deps)
  return async function handlePaidRoute(request, response) {
    const invalid = invalidReplaySecret(request)
    if (invalid !== undefined) return sendError(response, endpoint.errorResponse(invalid))
    const open = deps.openRequests.enter(response)
    if (open === undefined) return sendError(response, endpoint.errorResponse(shuttingDown))
    try {
      await handle(request, response, open)
    } finally {
      open.leave()
    }
  }
}

/** The whole of a paid request: quote → admit → begin → complete → bill → refund → finish. */
function paidRequest<Sale, Delivery>(endpoint: PaidEndpoint<Sale, Delivery>, deps: PaidDeps) {
  const { gate, budget, salesObstacle } = deps
  const quotes = createQuoteMemory<Sale>({ prices: deps.prices })
  const described = describeResource(endpoint, deps.publicUrl)
  const deliver = createDelivery(endpoint, deps)
  const serveFree = deps.free && createServeFree(endpoint, deps.free)

  return async (request: Request, response: Response, open: OpenRequest): Promise<void> => {
    const { signal, giveUp, ended } = open
    const observation = deps.observationOf(response)
    const refuse = (error: EndpointError) => sendError(response, endpoint.errorResponse(error))
    const body = await readJsonBody(request, budget, ended)
    const headers = paymentHeaders(request)
    if (headers && body.status === 'absent') return refuse(missingBody(endpoint.requiredField))
    const priced = await quotes.quoted(body, () => endpoint.quote(body, signal))
    observation.endPhase('quote')
    if (priced.status === 'refused') return sendError(response, priced.error)

    const { sale, offers, digest: requestDigest, challenge } = priced
    observation.note({ model: offers[0].model })
    const obstacle = salesObstacle()
    const notSold = obstacle ? obstacleError(obstacle) : unavailable(endpoint, sale, body)
    if (headers === undefined && notSold !== undefined) return refuse(notSold)
    const address = clientAddress(request)
    const client = { response, signal, giveUp, observation }
    if (headers === undefined && body.status === 'json' && !declinesFree(request)) {
      if (await serveFree?.({ ...client, sale, offer: offers[0], address })) return
    }
    const { overlapping, ...started } = startAdmission(gate, {
      ...described,
      headers: headers ?? {},
      offers,
      requestDigest,
      salesStoppedReason: notSold?.code,
      challenge,
      isWanted: () => !signal.aborted,
      onStep: (step) => observation.endPhase(phaseEndedBy[step]),
      clientAddress: address,
    })
    const payment = await overlapping
    if (payment !== undefined) {
      return serveOverlapping(endpoint, { ...client, ...started, sale, payment, deliver, budget })
    }
    const admission = await started.admitting
    if (admission.status === 'unavailable' && notSold !== undefined) return refuse(notSold)
    if (headers !== undefined) observeAdmission(observation, admission)
    if (admission.status !== 'settled') return decline(response, admission, { endpoint, budget })
    // The client disconnected. It may repeat the request; until then nothing is spent on it.
    if (signal.aborted && mayBeAbandoned(admission.payment)) {
      return gate.abandon(admission.payment, leavingCause(giveUp), address)
    }
    const begun = await gate.begin(admission.payment)
    if (begun.status !== 'begun') return decline(response, begun, { endpoint, budget })
    observation.endPhase('begin')
    response.set({ ...admission.headers, ...observation.headers() })
    const serving = { ...client, payment: begun.payment }
    await deliver(sale, serving, () => endpoint.complete(sale, serving))
  }
}

const phaseEndedBy: Readonly<Record<AdmissionStep, Phase>> = {
  checked: 'check',
  solvent: 'payer',
  claimed: 'admit',
  proven: 'settle',
}

/** Ends the phase in which the request was decided. What is written of a proof counts as `begin`. */
function observeAdmission(observation: Observation, admission: Admission): void {
  if ('payment' in admission) observation.setPayment(admission.payment)
  const last = observation.phases().at(-1)?.phase
  if (last !== 'settle') observation.endPhase(last === 'admit' ? 'settle' : 'admit')
}

/** No client signs for what cannot be served. A request without a body asks only for the price. */
function unavailable<Sale>(
  endpoint: Pick<PaidEndpoint<Sale, never>, 'unavailable'>,
  sale: Sale,
  { status }: JsonBody,
): EndpointError | undefined {
  return status === 'absent' ? undefined : endpoint.unavailable(sale)
}

/** What every 402 of the endpoint shows. */
function describeResource(
  { path, description, mimeType }: PaidResource,
  publicUrl: string,
): Pick<AdmissionRequest, 'resource' | 'extensions'> {
  const resource = { url: publicUrl + path, description, mimeType }
  return { resource, extensions: discoveryExtensions(path) }
}

type PaidResource = Pick<PaidEndpoint<never, never>, 'path' | 'description' | 'mimeType'>

function leavingCause(giveUp: AbortSignal): 'service_stopping' | 'client_left' {
  return giveUp.aborted ? 'service_stopping' : 'client_left'
}

/** Undefined for a request without a payment, which is answered with the price. */
function paymentHeaders({ headers }: Request): PaymentHeaders | undefined {
  const { 'payment-signature': signature, 'x-payment': legacy } = headers
  if (signature === undefined && legacy === undefined) return undefined
  return {
    'payment-signature': joined(signature),
    'x-payment': joined(legacy),
    'x-replay-secret': joined(headers['x-replay-secret']),
  }
}

/** Whether the client asks for the price instead of a free call. */
function declinesFree({ headers }: Request): boolean {
  return headers['x-free-quota'] === 'off'
}

/** Node joins repeated headers; a payment header that was repeated cannot be decoded. */
function joined(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'object' ? header.join(', ') : header
}

const shuttingDown: EndpointError = {
  status: 503,
  code: 'shutting_down',
  message: 'The service is shutting down. This request moved no money. Repeat it as it is.',
  headers: { 'Retry-After': '2' },
}
