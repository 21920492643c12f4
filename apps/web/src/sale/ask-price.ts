import { readReply, refusalOf, send } from '../service/call-service.ts'
import type { Order } from './order.ts'
import { newSale, type Quote, type Sale } from './sale.ts'

/** Sends the request without a payment, for the price in its 402. */
export async function askPrice({ path, body }: Order): Promise<Sale> {
  // Asks for the price even if a free quota would serve the request.
  const response = await send({ path, body, headers: { 'X-Free-Quota': 'off' } })
  const required = response.headers.get('payment-required')
  if (response.status !== 402 || required === null) {
    return { ...newSale, stage: 'failed', problem: (await refusalOf(response)).message }
  }
  const reply = readReply<{ readonly quote: Quote }>(await response.text())
  return reply.status === 'ok'
    ? { ...newSale, stage: 'priced', required, quote: reply.body.quote }
    : { ...newSale, stage: 'failed', problem: reply.message }
}
