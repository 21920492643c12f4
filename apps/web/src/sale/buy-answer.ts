import type { ImageResultBody } from '@farebox/api'
import { type PaymentSigner, signPaymentRequired } from '@farebox/client'
import { parseAtomicUsdc } from '@farebox/money'
import { readStream } from '../chat/read-stream.ts'
import { pause } from '../pay/pause.ts'
import { readReply, refusalOf, send } from '../service/call-service.ts'
import { forgetSale, keepSale, type SignedOrder } from './kept-sale.ts'
import type { Order } from './order.ts'
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
  const { order, required, quote, payer, update } = purchase
  update({ stage: 'signing' })
  const { signature } = await signPaymentRequired(required, {
    account: payer,
    maxAmount: parseAtomicUsdc(quote.maximum.usdc),
  })
  const signed = { order, quote, payer: payer.address, signature, secret: newSecret() }
  keepSale(signed)
  await fetchAnswer(signed, purchase)
}

/** `crypto.randomUUID` is missing on pages that are served by HTTP from another machine. */
function newSecret(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}

/** Sends a signed order, until it is decided, and shows the text or image that it gets. */
export async function fetchAnswer(signed: SignedOrder, watcher: Watcher): Promise<void> {
  const { update } = watcher
  update({ stage: 'paying', payer: signed.payer })
  const response = await sendUntilDecided(signed, watcher)
  if ((await showAnswer(response, signed.order, update)) === 'ended') forgetSale(signed.order.kind)
}

const cutOff =
  'The answer was cut off, and the service does not keep it. What was generated until then is billed; the rest is refunded.'

/** Shows what the response has. It is `lost` with its connection, as when the page is left. */
async function showAnswer(
  response: Response,
  { kind }: Order,
  update: Update,
): Promise<'ended' | 'lost'> {
  if (!response.ok) {
    const isSpent = response.status === 400 && response.headers.has('x-payment-id')
    const problem = isSpent ? cutOff : (await refusalOf(response)).message
    update(failedWith(problem))
    return 'ended'
  }
  update({ stage: 'answering' })
  if (kind === 'image') {
    update({ stage: 'answered', image: await readImage(response) })
    return 'ended'
  }
  const end = await readStream(response, streamEvents(update))
  update(end.status === 'complete' ? { stage: 'answered' } : failedWith(end.message))
  return end.status === 'lost' ? 'lost' : 'ended'
}

function failedWith(problem: string): Partial<Sale> {
  return { stage: 'failed', problem }
}

async function readImage(response: Response): Promise<string> {
  const reply = readReply<ImageResultBody>(await response.text())
  if (reply.status === 'refused') throw new Error(reply.message)
  return `data:image/png;base64,${reply.body.images[0]?.b64_json ?? ''}`
}

const maxAttempts = 20
const reconnectMs = 2_000

/**
 * A signature pays once, so the identical request is safe to repeat: when the service asks for it,
 * and when the connection was lost.
 */
async function sendUntilDecided(
  { order: { path, body }, signature, secret }: SignedOrder,
  { signal, onPayment }: Watcher,
): Promise<Response> {
  const headers = { 'PAYMENT-SIGNATURE': signature, 'X-Replay-Secret': secret }
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt === maxAttempts
    const response = await send({ path, body, headers, signal }).catch((error: unknown) => {
      if (isLast || signal.aborted) throw error
    })
    const id = response?.headers.get('x-payment-id')
    if (id) onPayment(id)
    const pauseMs = response === undefined ? reconnectMs : repeatMs(response)
    if (response !== undefined && (isLast || pauseMs === undefined)) return response
    await pause(pauseMs ?? reconnectMs, signal)
  }
}

/** When to repeat the request; undefined if the response is the decision. */
function repeatMs({ status, headers }: Response): number | undefined {
  if (!headers.has('x-payment-id')) return [502, 504].includes(status) ? reconnectMs : undefined
  const seconds = status === 503 ? headers.get('retry-after') : null
  return seconds === null || !(Number(seconds) >= 0) ? undefined : Number(seconds) * 1_000
}

function streamEvents(update: Update) {
  return {
    onText: (text: string) => {
      update(({ answer }) => ({ answer: answer + text }))
    },
    onReasoning: (text: string) => {
      update(({ reasoning }) => ({ reasoning: reasoning + text }))
    },
    onReceipt: (payment: NonNullable<Sale['payment']>) => {
      update({ payment })
    },
  }
}
