import { type FareboxClient, FareboxError } from '@farebox/client'

/** The model and the cost of a payment, as parts of a line, as far as they can be read now. */
export async function modelAndCost(
  client: Pick<FareboxClient, 'payment'>,
  paymentId: string,
): Promise<readonly string[]> {
  const payment = await client.payment(paymentId).catch(noneIfUnknown)
  const cost = payment?.cost ? `cost ${payment.cost.usd} USDC` : 'cost not known yet'
  return payment?.model ? [payment.model, cost] : [cost]
}

function noneIfUnknown(error: unknown): undefined {
  if (!(error instanceof FareboxError)) throw error
}
