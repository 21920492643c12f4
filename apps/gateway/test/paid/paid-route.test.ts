import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createBodyBudget } from '@farebox/http'
import { createPaymentId, type PaymentRecord } from '@farebox/ledger'
import { claimedRecord } from '@farebox/ledger/store'
import { atomicUsdc } from '@farebox/money'
import { type PaymentGate, paymentNetwork } from '@farebox/payments'
import express from 'express'
import { afterEach, expect, test } from 'vitest'
import { chatError } from '../../src/chat/chat-error.ts'
import { createObservation } from '../../src/observe/observation.ts'
import { createOpenRequests } from '../../src/paid/open-requests.ts'
import type { PaidEndpoint } from '../../src/paid/paid-endpoint.ts'
import { paidRoute } from '../../src/paid/paid-route.ts'
import type { RefundFault } from '../../src/paid/refund-fault.ts'

const network = paymentNetwork('devnet')
const offer = { amount: atomicUsdc(10n), model: 'm', priceVersion: 'v1' }
const payment: PaymentRecord = claimedRecord({
  id: createPaymentId(new Uint8Array(16)),
  network: network.caip2,
  kind: 'sale',
  channelId: null,
  authorization: {
    chainId: network.chainId,
    asset: network.usdc,
    from: `0x${'2'.repeat(40)}`,
    to: `0x${'1'.repeat(40)}`,
    value: offer.amount,
    nonce: `0x${'3'.repeat(64)}`,
    validAfter: 0,
    validBefore: 1,
  },
  payload: '{}',
  requestDigest: '',
  resource: '/',
  model: offer.model,
  priceVersion: offer.priceVersion,
  clientPaymentId: null,
  intentBlock: 0,
  lease: { owner: 'replica', until: 0 },
  createdAt: 0,
})

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

function unexpected(): never {
  throw new Error('must not be called')
}

/** A gate that has admitted the payment while another replica began its service. */
const beaten: PaymentGate = {
  admit: async () => ({ status: 'settled', payment, headers: {} }),
  begin: async () => ({
    status: 'pending',
    payment,
    code: 'payment_in_flight',
    retryAfterSeconds: 2,
    headers: { 'X-Payment-Id': payment.id, 'Retry-After': '2' },
  }),
  complete: unexpected,
  fail: unexpected,
  abandon: unexpected,
  close: unexpected,
}

async function serve(
  gate: PaymentGate,
  complete: () => never,
  refundFault: RefundFault = async () => unexpected(),
): Promise<string> {
  const endpoint: PaidEndpoint<string, never> = {
    path: '/',
    description: '',
    mimeType: 'application/json',
    quote: async () => ({
      status: 'priced',
      sale: 'sale',
      offers: [offer],
      digest: '',
      challenge: {},
    }),
    unavailable: () => undefined,
    complete: async () => complete(),
    bill: unexpected,
    errorResponse: chatError,
  }
  const route = paidRoute(endpoint, {
    gate,
    budget: createBodyBudget(1_000_000),
    publicUrl: 'https://pay.example',
    openRequests: createOpenRequests(),
    lossMonitor: unexpected,
    refundFault,
    prices: () => network,
    observationOf: () =>
      createObservation({ requestId: 'request', network: 'devnet', now: Date.now }),
    salesObstacle: () => undefined,
  })
  const server = createServer(express().post('/', route))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ends.push(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a fault of our own while a payment is served refunds it', async () => {
  const begun: PaymentGate = { ...beaten, begin: async () => ({ status: 'begun', payment }) }
  const fault = new Error('a fault')
  const url = await serve(
    begun,
    () => {
      throw fault
    },
    async (error, call) => {
      call.response.status(500).json({ refunded: call.payment.id, isFault: error === fault })
    },
  )
  const response = await fetch(url, { method: 'POST', headers: { 'X-PAYMENT': 'signed' } })
  expect(await response.json()).toEqual({ refunded: payment.id, isFault: true })
})

test('the gate learns which network address asks', async () => {
  const addresses: (string | undefined)[] = []
  const admit: PaymentGate['admit'] = async ({ clientAddress }) => {
    addresses.push(clientAddress)
    return { status: 'settled', payment, headers: {} }
  }
  const url = await serve({ ...beaten, admit }, unexpected)
  await fetch(url, { method: 'POST', headers: { 'X-PAYMENT': 'signed' } })
  expect(addresses).toEqual(['127.0.0.1'])
})

test('a payment that another replica serves is not served twice', async () => {
  let calls = 0
  const url = await serve(beaten, () => {
    calls += 1
    return unexpected()
  })
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-PAYMENT': 'signed' },
    body: '{}',
  })
  expect(calls).toBe(0)
  expect(response.status).toBe(503)
  expect(response.headers.get('x-payment-id')).toBe(payment.id)
  expect(await response.json()).toMatchObject({ error: { code: 'payment_in_flight' } })
})
