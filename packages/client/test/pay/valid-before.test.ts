import { decodePaymentSignatureHeader } from '@x402/core/http'
import { expect, test } from 'vitest'
import { channelClient, hello } from '../support/channel-client.ts'
import { channelGatewayForEachTest } from '../support/channel-gateway-for-each-test.ts'

const gateway = channelGatewayForEachTest()

/** Asks for payments that are valid for a day. */
async function longOffers(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, init)
  const header = response.headers.get('payment-required')
  if (header === null) return response
  const challenge = JSON.parse(atob(header)) as { accepts: Record<string, unknown>[] }
  const accepts = challenge.accepts.map((offer) => ({ ...offer, maxTimeoutSeconds: 86_400 }))
  const headers = { 'payment-required': btoa(JSON.stringify({ ...challenge, accepts })) }
  return new Response(null, { status: 402, headers })
}

type Payload = {
  readonly authorization?: { readonly validBefore: string }
  readonly deposit?: {
    readonly authorization: { readonly erc3009Authorization: { readonly validBefore: string } }
  }
}

test.each([
  ['a payment', 1],
  ['a deposit', 0],
])('%s is valid for an hour at most, however long the server asks for', async (_, after) => {
  const now = (): number => 1_800_000_000_000
  const client = channelClient(gateway(), { channel: { after }, fetch: longOffers, now })
  await client.chat(hello)
  const [sent] = gateway().paid
  const { payload, accepted } = decodePaymentSignatureHeader(sent?.header ?? '')
  const { authorization, deposit } = payload as Payload
  const { validBefore } = authorization ?? deposit?.authorization.erc3009Authorization ?? {}
  expect(validBefore).toBe('1800003600')
  expect(accepted.maxTimeoutSeconds).toBe(86_400)
})
