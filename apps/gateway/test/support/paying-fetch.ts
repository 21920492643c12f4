import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import type { TestGateway } from './open-gateway.ts'

export type PayingFetch = {
  readonly fetch: typeof fetch
  /** The ids of the payments, in the order of their responses. */
  readonly payments: readonly string[]
  /** How many prices were asked for. */
  quotes(): number
}

/** A fetch that pays from one of the gateway's payers, and what it asked and paid for. */
export function openPayingFetch(gateway: TestGateway, index: number): PayingFetch {
  let quotes = 0
  const payments: string[] = []
  const counted: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    if (response.status === 402) quotes += 1
    return response
  }
  const scheme = new ExactEvmScheme(gateway.account(index))
  const paid = wrapFetchWithPayment(counted, new x402Client().register('eip155:84532', scheme))
  const record: typeof fetch = async (input, init) => {
    const response = await paid(input, init)
    const id = response.headers.get('x-payment-id')
    if (id !== null) payments.push(id)
    return response
  }
  return { fetch: record, payments, quotes: () => quotes }
}
