import type { ImageResultBody } from '@farebox/api'
import { type PaymentSigner, signPaymentRequired } from '@farebox/client'
import { parseAtomicUsdc } from '@farebox/money'
import { readStream, type StreamEnd } from '../chat/read-stream.ts'
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
  /** Called with the id of the payment once it is known. */
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
  const id = response.headers.get('x-payment-id')
  if (id !== null) {
    update({ paymentId: id })
    purchase.onPayment(id)
  }
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

const mostRepeats = 20

/** A 503 with the id of a payment and `Retry-After` asks for the identical request again. */
async function sendUntilDecided(
  { order: { path, body }, signal, onPayment }: Purchase,
  signature: string,
): Promise<Response> {
  const headers = { 'PAYMENT-SIGNATURE': signature, 'X-Replay-Secret': crypto.randomUUID() }
  for (let attempt = 1; ; attempt += 1) {
    const response = await send({ path, body, headers, signal })
    const id = response.headers.get('x-payment-id')
    const after = Number(response.headers.get('retry-after') ?? Number.NaN)
    const isOpen = response.status === 503 && id !== null && Number.isFinite(after)
    if (!isOpen || attempt === mostRepeats) return response
    onPayment(id)
    await new Promise((resolve) => setTimeout(resolve, after * 1_000))
  }
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
