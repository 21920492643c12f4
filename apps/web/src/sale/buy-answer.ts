import type { ImageResultBody } from '@farebox/api'
import { type PaymentSigner, signPaymentRequired } from '@farebox/client'
import { parseAtomicUsdc } from '@farebox/money'
import { readStream, type StreamEnd } from '../chat/read-stream.ts'
import { pause } from '../pay/pause.ts'
import { readReply, refusalOf, send } from '../service/call-service.ts'
import type { Order } from './order.ts'
import type { Quote, Sale } from './sale.ts'

/** Changes some fields of the sale. */
export type Update = (change: Partial<Sale> | ((sale: Sale) => Partial<Sale>)) => void

export type Purchase = {
  readonly order: Order
  readonly required: string
  /** The quote that was shown: nothing above its maximum is signed. */
  readonly quote: Quote
  readonly payer: PaymentSigner
  readonly signal: AbortSignal
  readonly update: Update
  /** Called with the id of the payment with each response that has it. */
  readonly onPayment: (id: string) => void
}

/** Signs the price, repeats the request with the payment, and shows the text or image it gets. */
export async function buyAnswer(purchase: Purchase): Promise<void> {
  const { required, quote, payer, update } = purchase
  update({ stage: 'signing' })
  const { signature } = await signPaymentRequired(required, {
    account: payer,
    maxAmount: parseAtomicUsdc(quote.maximum.usdc),
  })
  update({ stage: 'paying', payer: payer.address })
  const response = await sendUntilDecided(purchase, signature)
  if (!response.ok) {
    return update({ stage: 'failed', problem: (await refusalOf(response)).message })
  }
  update({ stage: 'answering' })
  if (purchase.order.kind === 'image') {
    return update({ stage: 'answered', image: await readImage(response) })
  }
  showEnd(await readStream(response, streamEvents(update)), update)
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
  { order: { path, body }, signal, onPayment }: Purchase,
  signature: string,
): Promise<Response> {
  const headers = { 'PAYMENT-SIGNATURE': signature, 'X-Replay-Secret': crypto.randomUUID() }
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

function showEnd(end: StreamEnd, update: Update): void {
  if (end.status === 'complete') update({ stage: 'answered' })
  else update({ stage: 'failed', problem: end.message })
}
