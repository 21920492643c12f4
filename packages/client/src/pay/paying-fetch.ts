import type { Usdc } from '@farebox/money'
import { FareboxError } from '../farebox-error.ts'
import { fetchOrFail } from '../http/fetch-or-fail.ts'
import { rejectRedirectedQuote } from '../http/reject-redirected-quote.ts'
import { responseDetails } from '../http/response-details.ts'
import type { ChannelUnused } from './channel-unused.ts'
import type { PaymentScheme, SignedPayment } from './exact-scheme.ts'
import { type Decision, repeatUntilDecided } from './repeat-until-decided.ts'
import { signedInTime } from './signed-in-time.ts'
import type { Reservation } from './spend-budget.ts'

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

export type PayingFetchOptions = {
  readonly fetch: Fetch
  readonly scheme: PaymentScheme
  readonly patienceMs: number
}

/** A response, and the amount reserved for it until its cost is known. */
export type PaidFetch = {
  readonly response: Response
  readonly reservation: Reservation | undefined
  readonly channelUnused?: ChannelUnused | undefined
}

/**
 * The signal is the caller's own: in Node, that of a request has no effect any more once the request
 * is garbage.
 */
export type PayingFetch = (
  request: Request,
  signal: AbortSignal,
  callCap: Usdc,
) => Promise<PaidFetch>

/**
 * Creates a fetch that pays: on a 402 it checks the caps, signs, and repeats the request with its
 * payment until the server has decided. It signs again only for a payment that the server rejected.
 *
 * Throws `no_acceptable_payment`, `spend_cap_exceeded` (nothing was signed) and `connection_lost`
 * (the payment may have been taken). A 402 that the scheme cannot answer with another payment is
 * returned as is: the payment was rejected, and its amount is released.
 */
export function createPayingFetch(options: PayingFetchOptions): PayingFetch {
  return async function payingFetch(request, signal, callCap) {
    const body = await request.arrayBuffer()
    const send = async (headers: Headers, redirect: Request['redirect']): Promise<Response> => {
      const { method, url } = request
      return await options.fetch(url, {
        method,
        headers,
        signal,
        redirect,
        ...(body.byteLength > 0 && { body }),
      })
    }
    const quoted = await fetchOrFail(
      { url: request.url, signal },
      async () => await send(request.headers, request.redirect),
    )
    if (quoted.status !== 402) return { response: quoted, reservation: undefined }

    await quoted.body?.cancel()
    rejectRedirectedQuote(quoted)
    const { patienceMs, scheme } = options
    const repeat = { patienceMs, signal }
    const first = await signedInTime(scheme(quoted.headers, callCap, signal), signal)
    return await sendPayments(first, signal, async ({ header }) => {
      const headers = new Headers(request.headers)
      headers.set('PAYMENT-SIGNATURE', header)
      // A redirect would send the signature to another server. Not `error`: workers do not support it.
      return await repeatUntilDecided(async () => await send(headers, 'manual'), repeat)
    })
  }
}

/** Sends the payment, and the replacements of a rejected one. */
async function sendPayments(
  payment: SignedPayment,
  signal: AbortSignal,
  send: (payment: SignedPayment) => Promise<Decision>,
): Promise<PaidFetch> {
  const decision = await decide(payment, send)
  const replacing = replacement(payment, decision)
  // Only a rejected payment is signed again. No other response is lost to an abort.
  const isRejected = decision.response.status === 402
  const next = await (isRejected ? signedInTime(replacing, signal) : replacing)
  if (next !== undefined) return await sendPayments(next, signal, send)
  const { reservation, channelUnused } = payment
  return { response: decision.response, reservation, channelUnused }
}

/** What to send instead of a rejected payment; `undefined` if the response is for the caller. */
async function replacement(
  payment: SignedPayment,
  decision: Decision,
): Promise<SignedPayment | undefined> {
  const next = await payment.conclude(decision)
  // The reason of the rejection may have been read.
  if (next !== undefined) await decision.response.body?.cancel().catch(() => undefined)
  return next
}

async function decide(
  payment: SignedPayment,
  send: (payment: SignedPayment) => Promise<Decision>,
): Promise<Decision> {
  try {
    const decision = await send(payment)
    rejectRedirect(decision.response)
    return decision
  } catch (error) {
    payment.abandon()
    throw error
  }
}

/** One with a receipt is what was sold: the caller may follow it. */
function rejectRedirect(response: Response): void {
  const { status, type, headers } = response
  const redirects = type === 'opaqueredirect' || [301, 302, 303, 307, 308].includes(status)
  if (!redirects || headers.has('payment-response')) return
  // A browser hides where a redirect leads.
  const to = headers.get('location') ?? 'another address'
  throw new FareboxError(
    'invalid_response',
    `The server redirected a paid request to ${to}, which may have what was bought. The payment was not sent there; it may have been taken.`,
    responseDetails(response),
  )
}
