import { x402Client, x402HTTPClient } from '@x402/core/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import type { TestGateway } from './open-gateway.ts'

/** One authorization, as the headers of both protocol versions. */
export type SignedHeaders = {
  readonly v2: { readonly 'PAYMENT-SIGNATURE': string }
  readonly v1: { readonly 'X-PAYMENT': string }
  readonly quoted: bigint
}

type Payload = {
  readonly x402Version: number
  readonly accepted: { readonly amount: string }
  readonly payload: unknown
}

export const chatPath = '/v1/chat/completions'
export const imagePath = '/v1/images/generate'

export function post(
  gateway: { readonly url: string },
  path: string,
  request: { readonly body: unknown; readonly headers?: Readonly<Record<string, string>> },
): Promise<Response> {
  const { body, headers } = request
  return fetch(gateway.url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

/** Asks for the price and signs it with a payer of the devnet. */
export async function signPayment(
  gateway: Pick<TestGateway, 'url' | 'account'>,
  payer: number,
  { path = chatPath, body }: { readonly path?: string; readonly body: unknown },
): Promise<SignedHeaders> {
  const answer = await post(gateway, path, { body })
  if (answer.status !== 402) throw new Error(`${answer.status}: ${await answer.text()}`)
  const client = new x402HTTPClient(
    new x402Client().register('eip155:84532', new ExactEvmScheme(gateway.account(payer))),
  )
  const required = client.getPaymentRequiredResponse((name) => answer.headers.get(name))
  const payload = (await client.createPaymentPayload(required)) as unknown as Payload
  return {
    v2: { 'PAYMENT-SIGNATURE': encode(payload) },
    v1: {
      'X-PAYMENT': encode({
        x402Version: 1,
        scheme: 'exact',
        network: 'base-sepolia',
        payload: payload.payload,
      }),
    },
    quoted: BigInt(payload.accepted.amount),
  }
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64')
}
