import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { x402Facilitator } from '@x402/core/facilitator'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { createDevnetFacilitator, type DevnetFacilitatorOptions } from './devnet-facilitator.ts'
import { readText, startLoopbackServer } from './loopback-server.ts'

export type FacilitatorEndpoint = 'verify' | 'settle' | 'supported'

export type FacilitatorCall = {
  readonly endpoint: FacilitatorEndpoint
  /** Number of calls of this endpoint so far, including this one. */
  readonly nth: number
  /** The request's `paymentPayload`, absent for `supported`. */
  readonly payload?: unknown
  readonly requirements?: unknown
}

/** `after`: the facilitator verifies or settles, then fails; `instead`: it only fails. */
export type FaultMoment = 'instead' | 'after'

export type FacilitatorFault =
  /** Never responds. */
  | { readonly kind: 'hang'; readonly moment: FaultMoment }
  /** Breaks the connection. */
  | { readonly kind: 'disconnect'; readonly moment: FaultMoment }
  | { readonly kind: 'status'; readonly status: number; readonly moment: FaultMoment }
  /** Responds 200 with a body that is not JSON. */
  | { readonly kind: 'garbage'; readonly moment: FaultMoment }
  /** Responds truthfully, `ms` after the work is done. */
  | { readonly kind: 'late'; readonly ms: number }
  /** Starts the work after `ms`, then responds truthfully: a settlement after a timeout. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** Responds with this false result, after the work (`after`) or without doing it (`instead`). */
  | {
      readonly kind: 'lie'
      readonly answer: Readonly<Record<string, unknown>>
      readonly moment: FaultMoment
    }
  /** Settles, but responds `settlement_pending` with the real transaction. */
  | { readonly kind: 'pending' }

export type FacilitatorRule = (call: FacilitatorCall) => FacilitatorFault | undefined

export type FaultyFacilitator = {
  /** For `FACILITATOR_URL` or `HTTPFacilitatorClient`. */
  readonly url: string
  readonly calls: readonly FacilitatorCall[]
  setRule(rule?: FacilitatorRule): void
  stop(): Promise<void>
}

export type FaultyFacilitatorOptions = DevnetFacilitatorOptions & {
  readonly rule?: FacilitatorRule
  readonly port?: number
}

/** Reports success without settling, as a facilitator would that keeps the payer's signature. */
export const claimedSuccess: FacilitatorFault = {
  kind: 'lie',
  moment: 'instead',
  answer: { success: true, transaction: `0x${'ab'.repeat(32)}`, network: 'eip155:84532' },
}

/** Reports failure after the transfer, although the payer was charged. */
export const claimedFailure: FacilitatorFault = {
  kind: 'lie',
  moment: 'after',
  answer: { success: false, errorReason: 'transaction_failed', transaction: '' },
}

/**
 * An HTTP facilitator (`POST /verify`, `POST /settle`, `GET /supported`) that settles on the
 * devnet through the real x402 packages, and fails as its rule prescribes.
 */
export async function startFaultyFacilitator(
  options: FaultyFacilitatorOptions,
): Promise<FaultyFacilitator> {
  const facilitator = createDevnetFacilitator(options)
  const calls: FacilitatorCall[] = []
  const state: { rule: FacilitatorRule | undefined } = { rule: options.rule }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = parseBody(await readText(request))
    const endpoint = endpointOf(request)
    if (endpoint === undefined) return answer(response, 404, { error: 'not found' })
    const nth = calls.filter((call) => call.endpoint === endpoint).length + 1
    const call: FacilitatorCall = {
      endpoint,
      nth,
      payload: body.paymentPayload,
      requirements: body.paymentRequirements,
    }
    calls.push(call)
    const work = async (): Promise<object> => await perform(facilitator, endpoint, body)
    await respond(response, state.rule?.(call), work)
  }

  const server = await startLoopbackServer((request, response) => {
    serve(request, response).catch((error: unknown) =>
      answer(response, 500, { error: error instanceof Error ? error.message : String(error) }),
    )
  }, options.port)
  return {
    url: server.url,
    calls,
    setRule(rule) {
      state.rule = rule
    },
    stop: server.stop,
  }
}

async function respond(
  response: ServerResponse,
  fault: FacilitatorFault | undefined,
  work: () => Promise<object>,
): Promise<void> {
  if (fault === undefined) return answer(response, 200, await work())
  if (fault.kind === 'slow') await sleep(fault.ms)
  const done = 'moment' in fault && fault.moment === 'instead' ? {} : await work()
  switch (fault.kind) {
    case 'hang':
      return
    case 'disconnect':
      response.destroy()
      return
    case 'status':
      return answer(response, fault.status, { error: 'facilitator error' })
    case 'garbage':
      response.writeHead(200, { 'content-type': 'application/json' }).end('<html>')
      return
    case 'late':
      await sleep(fault.ms)
      return answer(response, 200, done)
    case 'slow':
      return answer(response, 200, done)
    case 'lie':
      return answer(response, 200, { ...done, ...fault.answer })
    case 'pending':
      return answer(response, 200, { ...done, success: false, errorReason: 'settlement_pending' })
  }
}

async function perform(
  facilitator: x402Facilitator,
  endpoint: FacilitatorEndpoint,
  { paymentPayload, paymentRequirements }: FacilitatorBody,
): Promise<object> {
  switch (endpoint) {
    case 'supported':
      return facilitator.getSupported()
    case 'verify':
      return await facilitator.verify(paymentPayload, paymentRequirements)
    case 'settle':
      return await facilitator.settle(paymentPayload, paymentRequirements)
  }
}

type FacilitatorBody = {
  readonly paymentPayload: PaymentPayload
  readonly paymentRequirements: PaymentRequirements
}

// The facilitator validates the body itself, as for any caller.
function parseBody(text: string): FacilitatorBody {
  return JSON.parse(text === '' ? '{}' : text) as FacilitatorBody
}

function endpointOf(request: IncomingMessage): FacilitatorEndpoint | undefined {
  switch (`${request.method} ${request.url}`) {
    case 'GET /supported':
      return 'supported'
    case 'POST /verify':
      return 'verify'
    case 'POST /settle':
      return 'settle'
    default:
      return undefined
  }
}

function answer(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body, (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  )
  response.writeHead(status, { 'content-type': 'application/json' }).end(text)
}
