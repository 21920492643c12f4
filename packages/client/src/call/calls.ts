import type { PaymentBody } from '@farebox/api'
import { atomicUsdc, parseAtomicUsdc, times, type Usdc } from '@farebox/money'
import { type ChannelActions, createChannelActions } from '../channel/channel-actions.ts'
import type { ChannelSettings } from '../channel/channel-options.ts'
import { type ChannelSchemeOptions, createChannelScheme } from '../channel/channel-scheme.ts'
import { createOpenChannels } from '../channel/open-channels.ts'
import { createChannelSigner } from '../channel/sign-channel.ts'
import { type ClientErrorCode, FareboxError } from '../farebox-error.ts'
import { apiError } from '../http/api-error.ts'
import { fetchFree, fetchOrFail } from '../http/fetch-or-fail.ts'
import { isText } from '../http/is-text.ts'
import { refuseUnknown } from '../invalid-option.ts'
import { createExactScheme, type PaymentScheme } from '../pay/exact-scheme.ts'
import {
  createPayingFetch,
  type Fetch,
  type PaidFetch,
  type PayingFetch,
} from '../pay/paying-fetch.ts'
import { type PaymentReceipt, readReceipt } from '../pay/payment-receipt.ts'
import { createPaymentSigner } from '../pay/sign-payment.ts'
import { createSpendBudget, type Reservation, type SpendBudget } from '../pay/spend-budget.ts'
import { usdcOption } from '../pay/usdc-option.ts'
import { createWallet } from '../wallet/wallet.ts'
import { type BodyShape, paymentShape } from './body-shapes.ts'
import type { ClientSettings } from './client-options.ts'
import { type CostInquiry, createCostInquiry } from './cost-inquiry.ts'
import { errorResponse } from './error-response.ts'
import { readResponse } from './read-response.ts'
import { watchReceipt } from './watch-receipt.ts'

export type CallOptions = {
  readonly signal?: AbortSignal
  /** The highest price of this call, instead of the client's `maxAmountPerCall`. */
  readonly maxAmount?: Usdc
}

type PaidCost = Pick<PaymentBody, 'id' | 'cost'>

/** A response to a typed call, and how it was paid. */
export type Answered = {
  readonly response: Response
  readonly receipt: PaymentReceipt | undefined
}

/** The options of a call that costs nothing. */
export type FreeCallOptions = Pick<CallOptions, 'signal'>

export type FreeOptions = FreeCallOptions & {
  readonly timeoutMs?: number
}

export type FreeQuestion<Body> = {
  readonly path: string
  /** Sent by POST; without it the question is a GET. */
  readonly body?: object
  readonly shape: BodyShape<Body>
}

/** The transport behind the typed calls. */
export type Calls = {
  readonly fetch: Fetch
  /** Sends a free request: a server that asks for a payment is not paid. */
  ask<Body>(question: FreeQuestion<Body>, options?: FreeOptions): Promise<Body>
  post(path: string, body: object, options?: CallOptions): Promise<Answered>
  /** Fetches the record of a payment, and notes its cost. */
  payment(id: string, options?: FreeOptions): Promise<PaymentBody>
  /** Replaces a payment's reserved amount with its final cost, if it is known. */
  noteCost(payment: PaidCost): void
  spent(): Usdc
  /** `undefined` without the option `channel`, or without an account. */
  readonly actions: ChannelActions | undefined
}

/** Creates the calls of one client, which share one transport and one budget. */
export function createCalls(settings: ClientSettings): Calls {
  const { baseUrl, maxAmountPerCall } = settings
  const budget = createSpendBudget(settings.caps, settings.now)
  const open = new Map<string, Reservation>()
  const ask = createFreeCall(settings)

  function noteCost({ id, cost }: PaidCost): void {
    if (cost === null) return
    open.get(id)?.setCost(parseAtomicUsdc(cost.usdc))
    open.delete(id)
  }

  async function payment(id: string, options?: FreeOptions): Promise<PaymentBody> {
    const path = `/v1/payments/${encodeURIComponent(id)}`
    const record = await ask({ path, shape: paymentShape }, options)
    noteCost(record)
    return record
  }

  const recent = async (id: string) => await payment(id, { timeoutMs: 10_000 })
  const fetchOpenCosts = createCostInquiry(open, recent)
  const { pay, unspent, actions } = createPayer(settings, { budget, fetchOpenCosts })

  const call: PayingFetch = async (...asked) => {
    const paid = await pay(...asked)
    const { response, reservation } = paid
    const paymentId = response.headers.get('x-payment-id')
    if (reservation?.isOpen() === true && paymentId !== null) open.set(paymentId, reservation)
    return paid
  }

  return {
    fetch: async (input, init) =>
      await withErrorResponses(async () => {
        const request = new Request(absolute(input, baseUrl), init)
        const given = input instanceof Request ? input : request
        const { response } = await call(request, init?.signal ?? given.signal, maxAmountPerCall)
        return watchReceipt(response, noteCost)
      }),
    ask,
    async post(path, body, { signal, maxAmount = maxAmountPerCall, ...unknown } = {}) {
      refuseUnknown('call', unknown)
      usdcOption('maxAmount', maxAmount)
      const request = new Request(`${baseUrl}${path}`, jsonInit(body))
      const { response, channelUnused } = await call(request, signal ?? request.signal, maxAmount)
      const receipt = readReceipt(response.headers)
      return {
        response,
        receipt: receipt && { ...receipt, ...(channelUnused && { channelUnused }) },
      }
    },
    payment,
    noteCost,
    spent: () => atomicUsdc(budget.spent() - unspent()),
    actions,
  }
}

function createFreeCall({ baseUrl, fetch }: ClientSettings): Calls['ask'] {
  return async function ask({ path, body, shape }, { signal, timeoutMs, ...unknown } = {}) {
    refuseUnknown('call', unknown)
    const url = `${baseUrl}${path}`
    const init = body && jsonInit(body)
    return await fetchFree({ url, signal, fetch, timeoutMs, init }, async (response) => {
      if (response.status === 402) throw await notFree(response)
      return await readResponse(response, shape)
    })
  }
}

function jsonInit(body: object): RequestInit {
  const headers = { 'content-type': 'application/json' }
  return { method: 'POST', headers, body: JSON.stringify(body) }
}

async function notFree(response: Response): Promise<FareboxError> {
  await response.body?.cancel()
  return new FareboxError(
    'invalid_response',
    'The server asks for a payment for a free call. Nothing was paid.',
    { status: response.status },
  )
}

/** For third-party clients: a call that cannot be paid resolves to a 402 with the reason. */
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
  'signature_timeout',
])

type Budgeted = {
  readonly budget: SpendBudget
  readonly fetchOpenCosts: CostInquiry
}

/** What the paid calls of a client share. */
type Payer = {
  readonly pay: PayingFetch
  /** What was deposited and not spent on a call. */
  readonly unspent: () => bigint
  readonly actions: ChannelActions | undefined
}

const withoutChannel = { unspent: () => 0n, actions: undefined }

function createPayer(settings: ClientSettings, budgeted: Budgeted): Payer {
  const { signer, networks, payTo, now } = settings
  if (signer === undefined) {
    const pay: PayingFetch = async (request, signal) =>
      await fetchUnpaid(request, signal, settings.fetch)
    return { ...withoutChannel, pay }
  }
  const wallet = createWallet(signer, settings.signatureMs)
  const { budget, fetchOpenCosts } = budgeted
  const terms = { networks, payTo }
  const exact = createExactScheme({
    sign: createPaymentSigner(wallet, now),
    terms,
    // A call whose cost is not known yet counts at its maximum. Before the total rejects another
    // call, ask the gateway what the open ones actually cost.
    async reserve(amount, callCap) {
      if (amount <= callCap) await fetchOpenCosts(() => budget.fits(amount))
      return budget.reserve(amount, callCap)
    },
  })
  if (!settings.channel) {
    return { ...withoutChannel, pay: createPayingFetch({ ...settings, scheme: exact }) }
  }
  const { actions, scheme, unspent } = payByChannel(settings, settings.channel, {
    ...budgeted,
    sign: createChannelSigner(wallet, now),
    terms,
    exact,
  })
  return { pay: createPayingFetch({ ...settings, scheme }), unspent, actions }
}

function payByChannel(
  { baseUrl: gateway, maxAmountPerCall, fetch, patienceMs, now }: ClientSettings,
  { store, salt, after, deposit, onUnused }: ChannelSettings,
  parts: Budgeted & Pick<ChannelSchemeOptions, 'sign' | 'terms' | 'exact'>,
): Omit<Payer, 'pay'> & { readonly scheme: PaymentScheme } {
  const { budget, fetchOpenCosts, sign, terms, exact } = parts
  const channels = createOpenChannels({
    payer: sign.address,
    gateway,
    salt,
    store,
    async reserve(amount) {
      await fetchOpenCosts(() => budget.fits(amount))
      return budget.fits(amount) ? budget.reserve(amount, amount) : undefined
    },
  })
  const actions = createChannelActions({ gateway, fetch, channels, sign, terms, patienceMs })
  const limits = { after, deposit, maxDeposit: times(maxAmountPerCall, 5n) }
  const scheme = createChannelScheme({
    channels,
    sign,
    terms,
    exact,
    ...limits,
    onUnused,
    async refresh(channel) {
      await fetchOpenCosts(() => false)
      await actions.refresh(channel)
    },
    now,
  })
  return { scheme, unspent: channels.unspent, actions }
}

async function fetchUnpaid(
  request: Request,
  signal: AbortSignal,
  fetch: Fetch,
): Promise<PaidFetch> {
  const target = { url: request.url, signal }
  const response = await fetchOrFail(target, async () => await fetch(request, { signal }))
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
  return isText(input) && input.startsWith('/') ? `${baseUrl}${input}` : input
}
