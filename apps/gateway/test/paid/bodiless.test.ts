import { toClientEvmSigner } from '@x402/evm'
import { BatchSettlementEvmScheme } from '@x402/evm/batch-settlement/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { createPublicClient, http } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chatOf } from '../support/buy.ts'
import { openGateway, type TestGateway } from '../support/open-gateway.ts'
import { chatPath, imagePath, post, signPayment } from '../support/sign-payment.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await openGateway()
})
afterAll(() => gateway.stop())

/** The stock clients: they sign what the 402 of a request without a body asks for. */
const schemes = {
  exact: () => new ExactEvmScheme(gateway.account(0)),
  channel: () => {
    const chain = createPublicClient({ transport: http(gateway.access.rpcUrl) })
    return new BatchSettlementEvmScheme(toClientEvmSigner(gateway.account(0), chain))
  },
} as const

const no = (field: string) =>
  `The request has no body, so ${field} is missing. No money moved. Send the body too, with the same payment.`

const wrong = (param: string) => ({
  error: { message: no(param), type: 'invalid_request_error', code: 'missing_field', param },
})
const refusals = {
  [chatPath]: wrong('messages'),
  '/v1/responses': wrong('input'),
  '/v1/messages': {
    type: 'error',
    error: {
      type: 'invalid_request_error',
      message: no('messages'),
      details: { error_code: 'missing_field' },
    },
  },
  [imagePath]: {
    error: 'INVALID_REQUEST',
    message: no('prompt'),
    details: { code: 'missing_field', param: 'prompt' },
  },
  '/v1/images/generations': wrong('prompt'),
}

test.each(
  Object.entries(refusals).flatMap(([path, refusal]) =>
    (['exact', 'channel'] as const).map((scheme) => ({ path, refusal, scheme })),
  ),
)('$path sells nothing to a payment without a body: $scheme', async (given) => {
  const { path, refusal, scheme } = given
  const before = await gateway.balance(gateway.payer(0).address)
  const paid: Request[] = []
  const counted: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    if (request.headers.has('payment-signature')) paid.push(request)
    return await fetch(request)
  }
  const client = new x402Client().register('eip155:84532', schemes[scheme]())
  const paying = wrapFetchWithPayment(counted, client)
  const response = await paying(gateway.url + path, { method: 'POST' })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject(refusal)
  expect(response.headers.get('x-payment-id')).toBeNull()
  expect(paid).toHaveLength(1)
  expect(await gateway.balance(gateway.payer(0).address)).toBe(before)
  expect(gateway.sandbox?.requests).toEqual([])
})

test.each(['v1', 'v2'] as const)(
  'a payment whose body was lost pays once it is sent: %s',
  async (version) => {
    const body = chatOf(`Sent late, in ${version}.`)
    const headers = (await signPayment(gateway, 1, { body }))[version]
    expect((await post(gateway, chatPath, { body: '', headers })).status).toBe(400)
    expect((await post(gateway, chatPath, { body, headers })).status).toBe(200)
  },
)
