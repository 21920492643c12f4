import { readChallenge } from '../pay/challenge.ts'
import { refusalOf, send } from '../service/call-service.ts'
import { newSale, type Quote, type Sale } from './sale.ts'

export const chatPath = 'v1/chat/completions'

/** Sends the request without a payment, for the price in its 402. */
export async function askPrice(body: object): Promise<Sale> {
  const response = await send({ path: chatPath, body })
  const challenge = response.status === 402 ? readChallenge(response) : undefined
  if (challenge === undefined) {
    return { ...newSale, stage: 'failed', problem: (await refusalOf(response)).message }
  }
  const { quote } = (await response.json()) as { readonly quote: Quote }
  return { ...newSale, stage: 'priced', challenge, quote }
}
