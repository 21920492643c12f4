import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import type { TestGateway } from './open-gateway.ts'

/** A fetch that pays from one of the gateway's payers, and the ids of its payments. */
export function openPayingFetch(
  gateway: TestGateway,
  index: number,
): { readonly fetch: typeof fetch; readonly payments: readonly string[] } {
  const scheme = new ExactEvmScheme(gateway.account(index))
  const paid = wrapFetchWithPayment(fetch, new x402Client().register('eip155:84532', scheme))
  const payments: string[] = []
  const record: typeof fetch = async (input, init) => {
    const response = await paid(input, init)
    const id = response.headers.get('x-payment-id')
    if (id !== null) payments.push(id)
    return response
  }
  return { fetch: record, payments }
}
