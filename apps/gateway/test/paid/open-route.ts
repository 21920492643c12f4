import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createBodyBudget } from '@farebox/http'
import type { PaymentRecord } from '@farebox/ledger'
import { claimedRecord } from '@farebox/ledger/store'
import { atomicUsdc } from '@farebox/money'
import { type PaymentGate, paymentNetwork } from '@farebox/payments'
import express from 'express'
import { afterEach } from 'vitest'
import { chatError } from '../../src/chat/chat-error.ts'
import { createObservation, type Observation } from '../../src/observe/observation.ts'
import { createOpenRequests } from '../../src/paid/open-requests.ts'
import type { PaidEndpoint } from '../../src/paid/paid-endpoint.ts'
import { type PaidDeps, paidRoute } from '../../src/paid/paid-route.ts'
import { newSale } from '../support/new-sale.ts'

const network = paymentNetwork('devnet')
export const offer = { amount: atomicUsdc(10n), model: 'm', priceVersion: 'v1' }
export const payment: PaymentRecord = claimedRecord(newSale())

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

export function unexpected(): never {
  throw new Error('must not be called')
}

/** A gate that has admitted the payment while another replica began its service. */
export const beaten: PaymentGate = {
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

type Route = {
  readonly gate?: Partial<PaymentGate>
  readonly endpoint?: Partial<PaidEndpoint<string, never>>
  readonly deps?: Partial<PaidDeps>
}

/** A paid route, and the observation of its latest request. */
export async function openRoute({ gate, endpoint, deps }: Route = {}) {
  const observations: Observation[] = []
  const route = paidRoute<string, never>(
    {
      path: '/v1/test',
      description: '',
      mimeType: 'application/json',
      requiredField: 'field',
      quote: async () => ({
        status: 'priced',
        sale: 'sale',
        offers: [offer],
        digest: '',
        challenge: {},
      }),
      unavailable: () => undefined,
      complete: unexpected,
      bill: unexpected,
      errorResponse: chatError,
      ...endpoint,
    },
    {
      gate: { ...beaten, ...gate },
      budget: createBodyBudget(1_000_000),
      publicUrl: 'https://pay.example',
      openRequests: createOpenRequests(),
      lossMonitor: unexpected,
      refundFault: unexpected,
      prices: () => network,
      observationOf: () => {
        const observation = createObservation({ requestId: 'r', network: 'devnet', now: Date.now })
        observations.push(observation)
        return observation
      },
      salesObstacle: () => undefined,
      ...deps,
    },
  )
  const server = createServer(express().post('/', route))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ends.push(() => {
    server.close()
    server.closeAllConnections()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ask = async (
    headers: Readonly<Record<string, string>> = signed,
    body: string | null = '{}',
  ) => {
    const type = body === null ? {} : { 'Content-Type': 'application/json' }
    return await fetch(url, {
      method: 'POST',
      headers: { ...type, ...headers },
      body,
      signal: AbortSignal.timeout(10_000),
    })
  }
  return { url, server, ask, observation: () => observations.at(-1)! }
}

export const signed = { 'X-PAYMENT': 'signed' }
export const codeOf = async (response: Response): Promise<unknown> =>
  ((await response.json()) as { error: { code?: unknown } }).error.code
