import { atomicUsdc, parseAtomicUsdc, type Usdc } from '@farebox/money'
import { FareboxError } from '../farebox-error.ts'
import { fetchOrFail } from './fetch-or-fail.ts'
import { choosePaymentOffer, type PaymentTerms } from './payment-offer.ts'
import { type Decision, repeatUntilDecided } from './repeat-until-decided.ts'
import type { SignPayment } from './sign-payment.ts'
import type { Reservation } from './spend-budget.ts'

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

export type PayingFetchOptions = {
  readonly fetch: Fetch
  readonly sign: SignPayment
  readonly terms: PaymentTerms
  /** Reserves the amount, or throws if it exceeds a cap. */
  readonly reserve: (amount: Usdc, callCap: Usdc) => Promise<Reservation>
  readonly maxAmountPerCall: Usdc
  readonly patienceMs: number
}

/** A response, and the amount reserved for it until its cost is known. */
export type PaidFetch = {
  readonly response: Response
  readonly reservation: Reservation | undefined
}

export type PayingFetch = (request: Request, callCap?: Usdc) => Promise<PaidFetch>

/**
 * Creates a fetch that pays: on a 402 it checks the caps, signs once, and repeats the request with
 * its payment until the server has decided. One call signs at most one authorisation.
 *
 * Throws `no_acceptable_payment`, `spend_cap_exceeded` (nothing was signed) and `connection_lost` (the
 * payment may have been taken). A second 402 is returned as is: the authorisation was rejected, and
 * its amount is released.
 */
export function createPayingFetch(options: PayingFetchOptions): PayingFetch {
  return async function payingFetch(request, callCap = options.maxAmountPerCall) {
    const body = request.body === null ? undefined : await request.arrayBuffer()
    const send = async (headers: Headers, redirect: Request['redirect']): Promise<Response> => {
      const { method, signal } = request
      return await options.fetch(request.url, {
        method,
        headers,
        signal,
        redirect,
        ...(body && { body }),
      })
    }
    const quoted = await fetchOrFail(
      request,
      async () => await send(request.headers, request.redirect),
    )
    if (quoted.status !== 402) return { response: quoted, reservation: undefined }

    await quoted.body?.cancel()
    const offer = choosePaymentOffer(quoted.headers, options.terms)
    const reservation = await options.reserve(offer.amount, callCap)
    const headers = new Headers(request.headers)
    headers.set('PAYMENT-SIGNATURE', await signOrRelease(options.sign(offer), reservation))

    // A redirect would send the signature to another server. Not `error`: workers do not know it.
    const decision = await repeatUntilDecided(async () => await send(headers, 'manual'), {
      patienceMs: options.patienceMs,
      signal: request.signal,
    })
    rejectRedirect(decision.response)
    await releaseUnused(decision, reservation)
    return { response: decision.response, reservation }
  }
}

function rejectRedirect({ status, type }: Response): void {
  const redirects = type === 'opaqueredirect' || [301, 302, 303, 307, 308].includes(status)
  if (!redirects) return
  throw new FareboxError(
    'invalid_response',
    'The server redirected a paid request. The payment was not sent on; it may have been taken.',
    { status },
  )
}

async function signOrRelease(
  signature: Promise<string>,
  reservation: Reservation,
): Promise<string> {
  try {
    return await signature
  } catch (cause) {
    reservation.setCost(atomicUsdc(0n))
    throw new FareboxError('no_acceptable_payment', 'The payment could not be signed.', { cause })
  }
}

/**
 * Releases the part of the reservation that the response shows as unused. 402: the authorisation
 * will not be used. 400 and 429: this request moved nothing, but an earlier attempt without a
 * response may have.
 */
async function releaseUnused(
  { response, attempts }: Decision,
  reservation: Reservation,
): Promise<void> {
  switch (response.status) {
    case 402:
      return reservation.setCost(atomicUsdc(0n))
    case 400:
    case 429:
      if (attempts === 1) reservation.setCost(atomicUsdc(0n))
      return
    case 500:
    case 503: {
      const cost = statedCost(await response.clone().text())
      if (cost !== undefined) reservation.setCost(cost)
      return
    }
    default:
  }
}

// The body of an error contains the payment record once its cost is final.
function statedCost(body: string): Usdc | undefined {
  try {
    const { payment } = JSON.parse(body) as { payment?: { cost?: { usdc?: string } | null } }
    const usdc = payment?.cost?.usdc
    return usdc === undefined ? undefined : parseAtomicUsdc(usdc)
  } catch {
    return undefined
  }
}
