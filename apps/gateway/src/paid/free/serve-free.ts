import { noteErrorReason } from '@farebox/http'
import type { FreeHold, RecordedUsage } from '@farebox/ledger'
import { formatUsdc, least, type Usdc } from '@farebox/money'
import type { Offer } from '@farebox/payments'
import type { UpstreamError } from '@farebox/provider-proxy'
import type { Response } from 'express'
import type { LossMonitor } from '../../observe/loss-monitor.ts'
import { type Ending, finish } from '../ending.ts'
import { lastEvent, sendFailure } from '../error-event.ts'
import { upstreamFailures } from '../failure/upstream-failures.ts'
import type { PaidEndpoint, ServedCall } from '../paid-endpoint.ts'
import type { FreeQuota } from './free-quota.ts'

export type FreeDeps = {
  readonly quota: FreeQuota
  readonly lossMonitor: LossMonitor
  /** Counts a call that was billed to the quota. */
  readonly count: (call: FreeCall) => void
  readonly report: (error: unknown, response: Response) => void
}

export type FreeCall = {
  readonly model: string
  readonly cost: Usdc
  readonly usage: RecordedUsage
}

type Client = Omit<ServedCall, 'payment' | 'released'>

export type FreeRequest<Sale> = Client & {
  readonly sale: Sale
  readonly offer: Offer
  /** The client's network address. */
  readonly address: string
}

/** Serves a request from the free quota; resolves with false if it has to be paid. */
export type ServeFree<Sale> = (request: FreeRequest<Sale>) => Promise<boolean>

/**
 * A call of the free quota: quoted, served and billed as a paid one is, without a payment. The most
 * that it can cost is held before the provider is called, and stays held if the process crashes.
 */
export function createServeFree<Sale, Delivery>(
  endpoint: PaidEndpoint<Sale, Delivery>,
  deps: FreeDeps,
): ServeFree<Sale> {
  const { quota, report } = deps
  return async function serveFree({ sale, offer, address, ...client }) {
    const { response, signal } = client
    const held = await quota.hold(address, offer.amount)
    response.set(headersOf(held.remaining))
    if (held.status === 'exceeded') return false
    response.set('x-should-retry', 'false')
    // The client disconnected, and nothing was sent yet.
    if (signal.aborted) {
      await quota.release(held.hold)
      return true
    }
    try {
      await deliverFree(endpoint, deps, { ...client, sale, offer, hold: held.hold })
    } catch (error) {
      report(error, response)
      const message = 'The service failed. The most that the call could cost counts as used.'
      sendFailure(
        response,
        endpoint.errorResponse({ status: 500, code: 'internal_error', message }),
      )
    }
    return true
  }
}

type HeldCall<Sale> = Client & {
  readonly sale: Sale
  readonly offer: Offer
  readonly hold: FreeHold
}

async function deliverFree<Sale, Delivery>(
  endpoint: PaidEndpoint<Sale, Delivery>,
  deps: FreeDeps,
  { sale, offer, hold, ...client }: HeldCall<Sale>,
): Promise<void> {
  const { priceVersion, amount } = offer
  const { response, observation } = client
  const payment = { kind: 'sale', priceVersion, authorization: { value: amount } } as const
  response.set(observation.headers())
  const completed = await endpoint.complete(sale, { ...client, payment })
  observation.endPhase('relay')
  if (completed.status === 'failed') {
    const { error } = completed
    const failure = await failFree(endpoint, deps.quota, { error, hold, offer })
    noteErrorReason(response, failure.code)
    const ending = response.headersSent ? lastEvent(failure.body) : failure.ending
    return finish(response, ending, { headers: headersOf(failure.remaining), receipt: noReceipt })
  }
  const { model, cost, usage, upstream, ending } = await endpoint.bill(sale, completed.delivery)
  const { inputTokens, outputTokens } = usage
  observation.note({
    inputTokens,
    outputTokens,
    freeUsdc: formatUsdc(cost),
    ...(model !== offer.model && { requestedModel: offer.model }),
  })
  deps.lossMonitor({ model, authorization: { value: amount } }, upstream)
  const remaining = await deps.quota.bill(hold, { model, cost, upstream })
  deps.count({ model, cost, usage })
  observation.endPhase('bill')
  finish(response, ending, { headers: headersOf(remaining), receipt: noReceipt })
}

const noReceipt = (): string => ''

type FailedCall = {
  readonly error: UpstreamError
  readonly hold: FreeHold
  readonly offer: Offer
}

type FailedFree = {
  readonly code: string
  readonly body: object
  readonly ending: Ending
  readonly remaining: Usdc
}

async function failFree(
  endpoint: Pick<PaidEndpoint<never, never>, 'errorResponse'>,
  quota: FreeQuota,
  { error, hold, offer: { model, amount } }: FailedCall,
): Promise<FailedFree> {
  const { status, code, text, mayBeProvoked } = upstreamFailures[error.code]
  const cost = least(quota.refusedCharge, amount)
  const remaining = mayBeProvoked
    ? await quota.bill(hold, { model, cost, upstream: undefined })
    : await quota.release(hold)
  const used = mayBeProvoked ? `${formatUsdc(cost)} USDC` : 'Nothing'
  const message = `${text}. ${used} of the free quota was used.`
  const { body } = endpoint.errorResponse({ status, code, message })
  const ending = { type: 'json', statusCode: status, body: JSON.stringify(body) } as const
  return { code, body, ending, remaining }
}

/** The headers of a stream state what remains while the most that it can cost is held. */
function headersOf(remaining: Usdc): Readonly<Record<string, string>> {
  return { 'X-Free-Quota-Remaining': formatUsdc(remaining) }
}
