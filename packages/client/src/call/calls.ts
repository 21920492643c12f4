import { parseAtomicUsdc, type Usdc } from '@farebox/money'
import { type ClientErrorCode, FareboxError } from '../farebox-error.ts'
import { fetchOrFail } from '../pay/fetch-or-fail.ts'
import {
  createPayingFetch,
  type Fetch,
  type PaidFetch,
  type PayingFetch,
  type PayingFetchOptions,
} from '../pay/paying-fetch.ts'
import { createPaymentSigner } from '../pay/sign-payment.ts'
import { createSpendBudget, type Reservation } from '../pay/spend-budget.ts'
import { apiError, parse } from './api-error.ts'
import { paymentShape } from './body-shapes.ts'
import type { ClientSettings } from './client-options.ts'
import { errorResponse } from './error-response.ts'
import { asBody } from './read-response.ts'

export type CallOptions = {
  readonly signal?: AbortSignal
  /** The most that this call may be asked for, instead of the client's `maxAmountPerCall`. */
  readonly maxAmount?: Usdc
}

/** The transport behind the typed calls. */
export type Calls = {
  readonly fetch: Fetch
  get(path: string, options?: CallOptions): Promise<Response>
  post(path: string, body: object, options?: CallOptions): Promise<Response>
  /** Replaces a payment's reserved amount with its final cost. */
  noteCost(paymentId: string, cost: Usdc): void
  spent(): Usdc
}

/** Creates the calls of one client, which share one transport and one budget. */
export function createCalls(settings: ClientSettings): Calls {
  const { baseUrl } = settings
  const budget = createSpendBudget(settings.caps, settings.now)
  const open = new Map<string, Reservation>()

  function noteCost(paymentId: string, cost: Usdc): void {
    open.get(paymentId)?.setCost(cost)
    open.delete(paymentId)
  }

  async function get(path: string, { signal }: CallOptions = {}): Promise<Response> {
    const url = `${baseUrl}${path}`
    const init = signal === undefined ? {} : { signal }
    return await fetchOrFail({ url, signal }, async () => await settings.fetch(url, init))
  }

  // A call whose cost is not known yet counts at its maximum. Before the total rejects another
  // call, ask the gateway what the open ones actually cost.
  async function reserve(amount: Usdc, callCap: Usdc): Promise<Reservation> {
    if (amount <= callCap && !budget.fits(amount)) await fetchOpenCosts()
    return budget.reserve(amount, callCap)
  }

  async function fetchOpenCosts(): Promise<void> {
    await Promise.all([...open.keys()].map((id) => fetchCost(id)))
  }

  async function fetchCost(id: string): Promise<void> {
    const cost = await get(`/v1/payments/${encodeURIComponent(id)}`).then(readCost, () => undefined)
    if (cost !== undefined) noteCost(id, cost)
  }

  const pay = createTransport(settings, reserve)

  async function call(request: Request, maxAmount?: Usdc): Promise<Response> {
    const { response, reservation } = await pay(request, maxAmount)
    const paymentId = response.headers.get('x-payment-id')
    if (reservation?.isOpen() === true && paymentId !== null) open.set(paymentId, reservation)
    return response
  }

  return {
    fetch: async (input, init) =>
      await withErrorResponses(async () => await call(new Request(absolute(input, baseUrl), init))),
    get,
    async post(path, body, { signal, maxAmount } = {}) {
      const request = new Request(`${baseUrl}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        ...(signal && { signal }),
      })
      return await call(request, maxAmount)
    },
    noteCost,
    spent: budget.spent,
  }
}

/** For the clients of others: a call that is not paid for resolves to a 402 that says why. */
async function withErrorResponses(call: () => Promise<Response>): Promise<Response> {
  try {
    const response = await call()
    return response.status === 402 ? errorResponse(await apiError(response)) : response
  } catch (error) {
    if (error instanceof FareboxError && unpaid.has(error.code)) return errorResponse(error)
    throw error
  }
}

const unpaid: ReadonlySet<string> = new Set<ClientErrorCode>([
  'spend_cap_exceeded',
  'no_acceptable_payment',
  'payment_required',
])

/** The cost in a payment's record, once it is known. */
async function readCost(response: Response): Promise<Usdc | undefined> {
  const cost = asBody(parse(await response.text()), paymentShape)?.cost ?? undefined
  return cost && parseAtomicUsdc(cost.usdc)
}

function createTransport(
  settings: ClientSettings,
  reserve: PayingFetchOptions['reserve'],
): PayingFetch {
  const { signer, networks, payTo, maxAmountPerCall, patienceMs } = settings
  if (signer === undefined) {
    return async (request) => await fetchUnpaid(request, settings.fetch)
  }
  return createPayingFetch({
    fetch: settings.fetch,
    sign: createPaymentSigner(signer, settings.now),
    terms: { networks, payTo },
    reserve,
    maxAmountPerCall,
    patienceMs,
  })
}

async function fetchUnpaid(request: Request, fetch: Fetch): Promise<PaidFetch> {
  const response = await fetchOrFail(request, async () => await fetch(request))
  if (response.status !== 402) return { response, reservation: undefined }
  await response.body?.cancel()
  throw new FareboxError(
    'payment_required',
    'The call requires payment; this client has no account.',
    {
      status: 402,
    },
  )
}

function absolute(input: string | URL | Request, baseUrl: string): string | URL | Request {
  return typeof input === 'string' && input.startsWith('/') ? `${baseUrl}${input}` : input
}
