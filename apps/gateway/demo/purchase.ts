import { type PaymentBody, paymentSchema } from '@farebox/api'
import type { RunningGateway } from './running-gateway.ts'

/** One purchase of the demo. */
export type Purchase = {
  readonly title: string
  readonly payer: string
  readonly answer: string
  /** What arrived first, and the milliseconds until then. */
  readonly arrival: { readonly what: 'first token' | 'answer' | 'image'; readonly ms: number }
  /** The headers of the paid response. */
  readonly headers: Headers
  readonly quoted: string
  readonly balanceBefore: bigint
}

/** Waits for the refund, prints the purchase, and returns whether it adds up to the atomic unit. */
export async function printPurchase(
  purchase: Purchase,
  gateway: RunningGateway,
  balanceOf: (address: string) => Promise<bigint>,
): Promise<boolean> {
  const id = purchase.headers.get('x-payment-id')
  const payment = await settledPayment(`${gateway.url}/v1/payments/${id}`)
  const after = await balanceOf(purchase.payer)
  const cost = BigInt(payment.cost?.usdc ?? '0')
  const refund = BigInt(payment.refund?.usdc ?? '0')
  const addsUp =
    BigInt(payment.paid.usdc) === cost + refund &&
    after === purchase.balanceBefore - cost &&
    cost > 0n
  const rows: readonly (readonly [string, string])[] = [
    ['answer', purchase.answer],
    ['quote (maximum)', `${purchase.quoted} USDC`],
    ['paid', `${payment.paid.usd} USDC in ${payment.settlement?.transaction ?? '?'}`],
    [
      `${purchase.arrival.what} after`,
      `${Math.round(purchase.arrival.ms)} ms, including the payment`,
    ],
    ['actual cost', `${payment.cost?.usd ?? '?'} USDC`],
    [
      'refund',
      `${payment.refund?.usd ?? '0'} USDC in ${payment.refund?.transaction ?? 'no transaction: nothing to refund'}`,
    ],
    ['balance before', usdc(purchase.balanceBefore)],
    [
      'balance after',
      `${usdc(after)}: ${addsUp ? 'paid = cost + refund, to the unit' : 'DOES NOT ADD UP'}`,
    ],
  ]
  process.stdout.write(
    `\n${purchase.title}\n${rows.map(([name, value]) => `  ${name.padEnd(18)} ${value}\n`).join('')}`,
  )
  return addsUp
}

function usdc(amount: bigint): string {
  const digits = amount.toString().padStart(7, '0')
  return `${digits.slice(0, -6)}.${digits.slice(-6)} USDC`
}

async function settledPayment(url: string): Promise<PaymentBody> {
  for (let attempt = 0; attempt < 60; attempt += 1) {
    const payment = paymentSchema.parse(await (await fetch(url)).json())
    const refunded = payment.refund === null || payment.refund.status === 'confirmed'
    if (payment.cost !== null && refunded) return payment
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  throw new Error(`${url} was not refunded in time`)
}
