import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Devnet, payerAccount, startDevnet } from '@farebox/devnet'
import type { PaymentId } from '@farebox/ledger'
import {
  type ChainReader,
  createChainReader,
  createInProcessFacilitator,
  createTransactionQueue,
} from '@farebox/payments/chain'
import {
  createPaymentCheck,
  decodePayment,
  paymentRequired,
  receiptHeaders,
} from '@farebox/payments/wire'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import { isPaymentRequiredV1, isPaymentRequiredV2 } from '@x402/core/schemas'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import {
  appendPaymentIdentifierToExtensions,
  declarePaymentIdentifierExtension,
} from '@x402/extensions/payment-identifier'
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from '@x402/fetch'
import express from 'express'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { paymentMiddleware } from 'x402-express'
import {
  createSigner,
  decodeXPaymentResponse,
  wrapFetchWithPayment as wrapFetchV1,
} from 'x402-fetch'
import {
  contextFor,
  encode,
  network,
  nowSeconds,
  resource,
  signAuthorization,
  usdc,
  wirePayload,
} from '../support/pay.ts'

const price = 12_345n
let devnet: Devnet
let chain: ChainReader
let server: Server
let url: string
const ends: (() => void | Promise<void>)[] = []

beforeAll(async () => {
  devnet = await startDevnet()
  const { rpcUrl } = devnet
  const payTo = devnet.treasury.address
  chain = createChainReader({ rpcUrl })
  const queue = createTransactionQueue({ rpcUrl, network, key: devnet.relayer.privateKey })
  const facilitator = createInProcessFacilitator({ rpcUrl, network, queue })
  const check = createPaymentCheck({ network, payTo, ownAccounts: [queue.relayer], chain })
  const context = contextFor(payTo, price)
  server = createServer((request, response) => {
    void (async () => {
      const decoded = decodePayment(
        {
          'payment-signature': header(request.headers['payment-signature']),
          'x-payment': header(request.headers['x-payment']),
        },
        context,
      )
      if (decoded.status !== 'decoded') {
        const { body, headers } = challenge()
        response.writeHead(402, { ...headers, 'content-type': 'application/json' })
        return response.end(JSON.stringify(body))
      }
      const { payment, amount } = decoded
      const checked = await check({ payment, amount, now: nowSeconds() })
      if (checked.status === 'invalid') return response.writeHead(402).end(checked.reason)
      const outcome = await facilitator.settle(checked.payment, AbortSignal.timeout(10_000))
      if (outcome.status !== 'settled') return response.writeHead(503).end(outcome.reason)
      const headers = receiptHeaders({
        protocol: payment.protocol,
        network,
        payer: payment.authorization.from,
        transaction: outcome.transaction,
        amount,
        paymentId: 'pay_0' as PaymentId,
      })
      return response.writeHead(200, headers).end(JSON.stringify({ bought: true }))
    })()
  })
  url = await listen(server)
  ends.push(() => queue.close())
})

afterAll(async () => {
  server.close()
  for (const end of ends) await end()
  await devnet.stop()
})

function header(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

async function listen(one: Server): Promise<string> {
  await new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(one.address() as AddressInfo).port}/`
}

function challenge() {
  return paymentRequired({
    network,
    payTo: devnet.treasury.address,
    maxTimeoutSeconds: 300,
    resource,
    amount: usdc(price),
    message: 'Payment of 0.012345 USDC required',
    challenge: { quote: { model: 'openai/gpt-5', maximum: { usd: '0.012345', usdc: '12345' } } },
  })
}

function v2Client(index: number): x402Client {
  const payer = payerAccount(index)
  const scheme = new ExactEvmScheme(privateKeyToAccount(payer.privateKey))
  return new x402Client().register(network.caip2, scheme)
}

test('@x402/fetch pays by the header and reads its receipt', async () => {
  const paid = await wrapFetchWithPayment(fetch, v2Client(0))(url, { method: 'POST', body: '{}' })
  expect(await paid.json()).toEqual({ bought: true })
  const receipt = decodePaymentResponseHeader(paid.headers.get('payment-response') ?? '')
  expect(receipt).toMatchObject({
    success: true,
    network: 'eip155:84532',
    payer: payerAccount(0).address.toLowerCase(),
    amount: '12345',
  })
  const code = await devnet.rpc<{ status: string }>('eth_getTransactionReceipt', [
    receipt.transaction,
  ])
  expect(code.status).toBe('0x1')
  expect(paid.headers.get('x-payment-id')).toBe('pay_0')
  expect(paid.headers.get('x-should-retry')).toBe('false')
  expect(paid.headers.get('x-payment-response')).toBeNull()
})

test('the legacy x402-fetch pays by the body and reads its receipt', async () => {
  const before = await chain.balanceOf(network.usdc, devnet.treasury.address)
  const signer = await createSigner('base-sepolia', payerAccount(1).privateKey)
  const paid = await wrapFetchV1(fetch, signer)(url, { method: 'POST', body: '{}' })
  expect(await paid.json()).toEqual({ bought: true })
  const receipt = decodeXPaymentResponse(paid.headers.get('x-payment-response') ?? '')
  expect(receipt).toMatchObject({ success: true, network: 'base-sepolia' })
  expect(paid.headers.get('payment-response')).toBeNull()
  expect(await chain.balanceOf(network.usdc, devnet.treasury.address)).toBe(before + price)
})

test('one 402 satisfies the schemas of both protocols and fits into proxies', () => {
  const { body, headers } = challenge()
  const decoded = decodePaymentRequiredHeader(headers['PAYMENT-REQUIRED'] ?? '')
  expect(isPaymentRequiredV2(decoded)).toBe(true)
  expect(isPaymentRequiredV1(body)).toBe(true)
  expect(body).toMatchObject({ statusCode: 402, error: 'Payment Required', x402Version: 1 })
  expect(body['quote']).toMatchObject({ model: 'openai/gpt-5' })
  expect(headers['Cache-Control']).toBe('no-store')
  expect(headers['PAYMENT-REQUIRED']?.length).toBeLessThan(1_600)
  expect(decoded.extensions?.['payment-identifier']).toEqual(declarePaymentIdentifierExtension())
})

test('the identifier that the stock extension writes is the one that is read', async () => {
  const context = contextFor(devnet.treasury.address, price)
  const signer = payerAccount(2)
  const wire = wirePayload(
    await signAuthorization({ signer, to: devnet.treasury.address, value: price }),
    context,
  )
  const declared = () => ({ 'payment-identifier': declarePaymentIdentifierExtension() })
  const extensions = appendPaymentIdentifierToExtensions(declared(), 'order-0123456789abcdef')
  const header = encode({ ...wire.v2, extensions })
  expect(decodePayment({ 'payment-signature': header }, context)).toMatchObject({
    payment: { clientPaymentId: 'order-0123456789abcdef' },
  })
  const echoed = encode({ ...wire.v2, extensions: declared() })
  expect(decodePayment({ 'payment-signature': echoed }, context)).toMatchObject({
    payment: { clientPaymentId: null },
  })
})

test('our v1 requirement is the one that x402-express would make', async () => {
  const app = express()
  const amount = {
    amount: price.toString(),
    asset: { address: network.usdc, decimals: 6, eip712: network.domain },
  }
  app.use(
    paymentMiddleware(devnet.treasury.address, {
      'POST /v1/chat/completions': {
        price: amount,
        network: 'base-sepolia',
        config: {
          description: resource.description,
          mimeType: resource.mimeType,
          maxTimeoutSeconds: 300,
          resource: 'http://127.0.0.1:4020/v1/chat/completions',
        },
      },
    }),
  )
  const stock = createServer(app)
  ends.push(() => void stock.close())
  const answer = await fetch(`${await listen(stock)}v1/chat/completions`, { method: 'POST' })
  const theirs = ((await answer.json()) as { accepts: [Record<string, unknown>] }).accepts[0]
  const ours = (challenge().body['accepts'] as [Record<string, unknown>])[0]
  expect(lowered(ours)).toEqual(lowered({ ...theirs, outputSchema: undefined }))
})

function lowered(requirement: Record<string, unknown>): unknown {
  return JSON.parse(JSON.stringify(requirement).toLowerCase())
}

test('a challenge too large for a header throws at once', () => {
  expect(() =>
    paymentRequired({
      network,
      payTo: devnet.treasury.address,
      maxTimeoutSeconds: 300,
      resource: { ...resource, description: 'x'.repeat(4_000) },
      amount: usdc(1n),
      message: '',
      challenge: {},
    }),
  ).toThrow(expect.objectContaining({ code: 'challenge_too_large' }))
})

test('the quote never displaces the protocol', () => {
  const { body } = paymentRequired({
    network,
    payTo: devnet.treasury.address,
    maxTimeoutSeconds: 300,
    resource,
    amount: usdc(price),
    message: 'pay',
    challenge: { accepts: [], x402Version: 9, statusCode: 200 },
  })
  expect(body).toMatchObject({ x402Version: 1, statusCode: 402, accepts: [{ scheme: 'exact' }] })
})
