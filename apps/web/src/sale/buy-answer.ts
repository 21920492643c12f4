import type { ImageResultBody } from '@farebox/api'
import { type PaymentSigner, signPaymentRequired } from '@farebox/client'
import { parseAtomicUsdc } from '@farebox/money'
import { gatherText } from '../chat/gather-text.ts'
import {
  type LostConnection,
  lostConnection,
  readStream,
  unlessStopped,
} from '../chat/read-stream.ts'
import { pause } from '../pay/pause.ts'
import { readReply, refusalOf, send } from '../service/call-service.ts'
import { rejectionCode } from '../service/rejection-code.ts'
import { retryAfterMs } from '../service/retry-after-ms.ts'
import { forgetSale, keepSale, type SignedOrder } from './kept-sale.ts'
import type { Order } from './order.ts'
import { rejectionOf, shortfallOf } from './problem-of.ts'
import type { Quote, Sale } from './sale.ts'

/** Changes some fields of the sale. */
export type Update = (change: Partial<Sale> | ((sale: Sale) => Partial<Sale>)) => void

/** Receives the progress of a sale, and can stop it. */
export type Watcher = {
  readonly signal: AbortSignal
  readonly update: Update
  /** Called with the id of the payment with each response that has it. */
  readonly onPayment: (id: string) => void
}

export type Purchase = Watcher & {
  readonly order: Order
  readonly required: string
  /** The quote that was shown: nothing above its maximum is signed. */
  readonly quote: Quote
  readonly payer: PaymentSigner
}

/** Signs the price, repeats the request with the payment, and shows the text or image it gets. */
export async function buyAnswer(purchase: Purchase): Promise<void> {
  const { order, required, quote, payer, signal } = purchase
  const { signature } = await signPaymentRequired(required, {
    account: payer,
    maxAmount: parseAtomicUsdc(quote.maximum.usdc),
  })
  // The visitor may have left the page, or canceled, while the wallet asked.
  signal.throwIfAborted()
  const signed = { order, quote, payer: payer.address, signature, secret: newSecret() }
  // If the storage has no room for this order, it must not keep the previous one either.
  forgetSale(order.kind)
  keepSale({ signed })
  await fetchAnswer(signed, purchase, 'new')
}

/** `crypto.randomUUID` is missing on pages that are served by HTTP from another machine. */
function newSecret(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}

const maxConnections = 5

/** Whether the service may have taken the payment of an order already: it was sent before. */
export type Sent = 'new' | 'seen'

/**
 * Sends a signed order, until it is decided, and shows the text or image that it gets. An answer that
 * is lost with its connection is asked for again: it is paid, and the service may have all of it.
 */
export async function fetchAnswer(
  signed: SignedOrder,
  watcher: Watcher,
  before: Sent,
): Promise<void> {
  const { update, signal } = watcher
  update({ stage: 'paying', payer: signed.payer })
  for (let connection = 1; ; connection += 1) {
    const reply = await sendUntilDecided(signed, watcher, connection === 1 ? before : 'seen')
    const end = await showAnswer(reply, signed, update)
    if (end.status === 'ended') return update({ isOver: true })
    if (end.status === 'undecided' || connection === maxConnections) {
      return update(failedWith(end.message))
    }
    await pause(reconnectMs, signal)
  }
}

const cutOff =
  'The answer was cut off, and the service does not keep it. What was generated until then is billed; the rest is refunded.'

type AnswerEnd =
  | { readonly status: 'ended' }
  | LostConnection
  /** The service still asks to send the request again. */
  | { readonly status: 'undecided'; readonly message: string }

const ended: AnswerEnd = { status: 'ended' }

/** Shows what the response has. It is `lost` with its connection, as when the page is left. */
async function showAnswer(
  { response, isDecided }: LastReply,
  { order: { kind }, payer }: SignedOrder,
  update: Update,
): Promise<AnswerEnd> {
  if (!response.ok) {
    const isSpent = response.status === 400 && response.headers.has('x-payment-id')
    const { message } = await refusalOf(response)
    if (!isDecided) return { status: 'undecided', message }
    const rejection = rejectionOf(rejectionCode(response.headers), payer) ?? message
    update(failedWith(isSpent ? cutOff : rejection))
    return ended
  }
  update({ stage: 'answering', answer: '', reasoning: '' })
  if (kind === 'image') {
    const body = await response.text().catch(unlessStopped)
    if (body === undefined) return lostConnection
    update({ stage: 'answered', image: imageOf(body) })
    return ended
  }
  const events = streamEvents(update)
  const end = await readStream(response, events).finally(events.flush)
  if (end.status === 'lost') return end
  if (end.status === 'broken') update(failedWith(end.message))
  else update(({ answer }) => answeredWith(shortfallOf(end.finishReason, answer)))
  return ended
}

function answeredWith(shortfall: string | undefined): Partial<Sale> {
  return { stage: 'answered', ...(shortfall !== undefined && { shortfall }) }
}

function failedWith(problem: string): Partial<Sale> {
  return { stage: 'failed', problem }
}

function imageOf(body: string): string {
  const reply = readReply<ImageResultBody>(body)
  if (reply.status === 'refused') throw new Error(reply.message)
  return `data:image/png;base64,${reply.body.images[0]?.b64_json ?? ''}`
}

const maxAttempts = 20
const reconnectMs = 2_000

/** The response after which an order is not sent again. */
type LastReply = {
  readonly response: Response
  /** False if the response asks to repeat the request, which was sent as often as it may be. */
  readonly isDecided: boolean
}

/**
 * A signature pays once, so the identical request is safe to repeat: when the service asks for it,
 * and when the connection was lost.
 */
async function sendUntilDecided(
  { order: { path, body }, signature, secret }: SignedOrder,
  { signal, onPayment }: Watcher,
  before: Sent,
): Promise<LastReply> {
  let sent = before
  const headers = { 'PAYMENT-SIGNATURE': signature, 'X-Replay-Secret': secret }
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt === maxAttempts
    const response = await send({ path, body, headers, signal }).catch((error: unknown) => {
      if (isLast || signal.aborted) throw error
    })
    const id = response?.headers.get('x-payment-id')
    if (id) onPayment(id)
    if (id || response === undefined || isOfProxy(response)) sent = 'seen'
    const pauseMs = response === undefined ? reconnectMs : repeatMs(response, sent)
    const isDecided = pauseMs === undefined
    if (response !== undefined && (isLast || isDecided)) return { response, isDecided }
    await pause(pauseMs ?? reconnectMs, signal)
  }
}

/** When to repeat the request; undefined if the response is the decision. */
function repeatMs(response: Response, sent: Sent): number | undefined {
  if (isOfProxy(response)) return reconnectMs
  const { status, headers } = response
  // Beyond the rate limit, the service has not looked at the payment, which may have been taken before.
  // Neither has one that is starting again after a crash.
  const asksToRepeat = status === 429 || (sent === 'seen' && status === 503)
  return asksToRepeat ? retryAfterMs(headers) : undefined
}

/** Whether the service may have received the request, and a server before it lost the response. */
function isOfProxy({ status, headers }: Response): boolean {
  return [502, 504].includes(status) && !headers.has('x-payment-id')
}

function streamEvents(update: Update) {
  const texts = gatherText((text) => {
    update(({ answer }) => ({ answer: answer + text }))
  })
  const thoughts = gatherText((text) => {
    update(({ reasoning }) => ({ reasoning: reasoning + text }))
  })
  return {
    onText: texts.add,
    onReasoning: thoughts.add,
    onReceipt: (payment: NonNullable<Sale['payment']>) => {
      update({ payment })
    },
    flush: () => {
      thoughts.flush()
      texts.flush()
    },
  }
}
