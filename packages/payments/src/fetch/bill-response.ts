import type { PaymentRecord } from '@farebox/ledger'
import { atomicUsdc, type Usdc } from '@farebox/money'
import type { PaymentGate, ResponseHeaders, ServiceEnd } from '../gate/payment-gate.ts'
import { checkedCost } from '../request/checked-amounts.ts'
import { SaleError } from '../request/sale-error.ts'

export type ServedResponse = {
  readonly response: Response
  /** A function is called once the body has ended, or once the client has disconnected. */
  readonly cost: Usdc | (() => Usdc | Promise<Usdc>)
}

/** What was served: whole, with its cost, or as a stream that is billed at its end. */
export type Delivery =
  | {
      readonly kind: 'whole'
      readonly response: Response
      readonly body: Uint8Array<ArrayBuffer>
      readonly cost: Usdc
    }
  | {
      readonly kind: 'stream'
      readonly response: Response
      readonly body: ReadableStream<Uint8Array>
      readonly cost: () => Promise<Usdc>
      /** It costs nothing, however it ends. */
      readonly isFree: boolean
    }

/** Reads a JSON response to its end; a stream is sent as it arrives. */
export async function readServed(served: ServedResponse): Promise<Delivery> {
  // Plain JavaScript may return the response alone, or nothing.
  const { response, cost } = { ...served }
  if (typeof response !== 'object') throw new SaleError('no_response')
  const price = async (): Promise<Usdc> =>
    checkedCost(typeof cost === 'function' ? await cost() : cost)
  if (response.bodyUsed) throw new SaleError('body_used')
  if (response.type === 'error') throw new SaleError('no_status')
  const { body } = response
  if (body !== null && !/^application\/json\s*(;|$)/i.test(contentTypeOf(response))) {
    return { kind: 'stream', response, body, cost: price, isFree: cost === 0n }
  }
  const whole = new Uint8Array(await response.arrayBuffer())
  return { kind: 'whole', response, body: whole, cost: await price() }
}

function contentTypeOf({ headers }: Response): string {
  return headers.get('content-type') ?? ''
}

export type Billing = {
  readonly gate: Pick<PaymentGate, 'complete' | 'fail'>
  readonly payment: PaymentRecord
  /** The receipt, in addition to the headers of the response. */
  readonly headers: ResponseHeaders
  readonly delivery: Delivery
  /**
   * Their signals abort when the client disconnects. In Node, the signal of a request has no effect
   * any more once the request is garbage, so the body of the response refers to the requests.
   */
  readonly requests: readonly Request[]
  /** Receives what broke a stream. */
  readonly onFault: (error: unknown) => void
}

const free = { cost: atomicUsdc(0n), usage: null, answer: null }

/** The response, which ends once its cost is durable. */
export async function billResponse(billing: Billing): Promise<Response> {
  const { gate, payment, delivery, requests } = billing
  const { response } = delivery
  const { status: statusCode } = response
  const headers = headersOf(billing)
  const setReceipt = (end: ServiceEnd): void => {
    for (const [name, value] of Object.entries(end.headers)) headers.set(name, value)
  }
  if (delivery.kind === 'stream') {
    // Its receipt leaves before its end, and would state the ceiling of a call.
    if (delivery.isFree) setReceipt(await gate.complete(payment, free))
    const stream = billedStream(billing, delivery)
    const isHead = requests.some(({ method }) => method === 'HEAD')
    // Hono and Next drop the body of a response to HEAD: they neither read nor cancel it.
    if (isHead) await stream.cancel()
    return new Response(isHead ? null : stream, { status: statusCode, headers })
  }
  const { body, cost } = delivery
  const contentType = contentTypeOf(response)
  const answer = { statusCode, contentType, body }
  setReceipt(await gate.complete(payment, { cost, usage: null, answer }))
  return new Response(response.body === null ? null : body, { status: statusCode, headers })
}

function headersOf({ delivery, headers: receipt }: Billing): Headers {
  const { response } = delivery
  const headers = new Headers(response.headers)
  // `fetch` has decoded a response that it received, and left its headers.
  if (response.url !== '' && headers.has('Content-Encoding')) {
    for (const name of ['Content-Encoding', 'Content-Length']) headers.delete(name)
  }
  headers.set('Cache-Control', 'private, no-store')
  for (const [name, value] of Object.entries(receipt)) headers.set(name, value)
  return headers
}

/**
 * A body that fails is cut off, and its payment refunded in full. A client that disconnects pays
 * the cost until then, also if its handler stops the body with an error because of that: otherwise
 * a client could disconnect before the last piece, and have the others free of charge.
 */
function billedStream(
  { gate, payment, requests, onFault }: Billing,
  { body, cost: priceOf }: Extract<Delivery, { readonly kind: 'stream' }>,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  async function refund(error: unknown): Promise<void> {
    try {
      await gate.fail(payment, { reason: 'handler_failed', answer: null })
    } finally {
      onFault(error)
    }
  }
  async function bill(): Promise<void> {
    let cost: Usdc
    try {
      cost = await priceOf()
    } catch (error) {
      await refund(error)
      throw error
    }
    await gate.complete(payment, { cost, usage: null, answer: null })
  }
  // A client may disconnect while the last piece is read.
  let billed: Promise<void> | undefined
  let isLeft = false
  async function complete(): Promise<void> {
    billed ??= bill()
    await billed
  }
  return new ReadableStream({
    async pull(controller) {
      try {
        const piece = await reader.read()
        if (!piece.done) return controller.enqueue(piece.value)
      } catch (error) {
        if (isLeft || requests.some(({ signal }) => signal.aborted)) await complete()
        else await refund(error)
        throw error
      }
      await complete()
      if (!isLeft) controller.close()
    },
    async cancel(reason) {
      isLeft = true
      try {
        await reader.cancel(reason)
      } finally {
        await complete()
      }
    },
  })
}
