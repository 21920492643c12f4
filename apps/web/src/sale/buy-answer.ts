import { readStream, type StreamEnd } from '../chat/read-stream.ts'
import { type Payer, signChallenge } from '../pay/authorization.ts'
import type { Challenge } from '../pay/challenge.ts'
import { refusalOf, send } from '../service/call-service.ts'
import { chatPath } from './ask-price.ts'
import type { Sale } from './sale.ts'

/** Changes some fields of the sale. */
export type Update = (change: Partial<Sale> | ((sale: Sale) => Partial<Sale>)) => void

export type Purchase = {
  readonly body: object
  readonly challenge: Challenge
  readonly payer: Payer
  readonly signal: AbortSignal
  readonly update: Update
  /** Called with the id of the payment once it is known. */
  readonly onPayment: (id: string) => void
}

/** Signs the price, repeats the request with the payment, and shows the answer as it streams. */
export async function buyAnswer(purchase: Purchase): Promise<void> {
  const { challenge, payer, update } = purchase
  update({ stage: 'signing', payer: payer.address })
  const signature = await signChallenge(challenge, payer, Math.floor(Date.now() / 1_000))
  update({ stage: 'paying' })
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
  showEnd(await readStream(response, streamEvents(update)), update)
}

const mostRepeats = 20

/** A 503 with the id of a payment asks for the identical request again. */
async function sendUntilDecided(
  { body, signal, onPayment }: Purchase,
  signature: string,
): Promise<Response> {
  const headers = { 'PAYMENT-SIGNATURE': signature, 'X-Replay-Secret': crypto.randomUUID() }
  for (let attempt = 1; ; attempt += 1) {
    const response = await send({ path: chatPath, body, headers, signal })
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
