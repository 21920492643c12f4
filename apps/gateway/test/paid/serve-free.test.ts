import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMemoryStore } from '@farebox/ledger'
import { atomicUsdc } from '@farebox/money'
import { UpstreamError, type UpstreamErrorCode } from '@farebox/provider-proxy'
import express from 'express'
import { afterEach, expect, test } from 'vitest'
import { chatError } from '../../src/chat/chat-error.ts'
import { createObservation } from '../../src/observe/observation.ts'
import { createFreeQuota } from '../../src/paid/free/free-quota.ts'
import { createServeFree } from '../../src/paid/free/serve-free.ts'
import type { PaidEndpoint } from '../../src/paid/paid-endpoint.ts'

const offer = { amount: atomicUsdc(3_000n), model: 'm', priceVersion: 'v1' }
const store = createMemoryStore()
const limits = { perAddress: atomicUsdc(10_000n), inAll: atomicUsdc(10_000_000n) }
const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

function unexpected(): Promise<never> {
  return Promise.reject(new Error('must not be called'))
}

type Complete = PaidEndpoint<string, never>['complete']

type Client = {
  readonly signal?: AbortSignal
  readonly bill?: PaidEndpoint<string, never>['bill']
}

/** Asks once from a new address, and tells what of its quota is used afterwards. */
async function ask(address: string, complete: Complete, given: Client = {}) {
  const { signal = new AbortController().signal, bill = unexpected } = given
  const faults: unknown[] = []
  const models: string[] = []
  const quota = createFreeQuota({
    store,
    ...limits,
    minimumCharge: atomicUsdc(1_000n),
    now: Date.now,
    onUsedUp: () => undefined,
  })
  const endpoint: PaidEndpoint<string, never> = {
    path: '/',
    description: '',
    mimeType: 'application/json',
    requiredField: 'field',
    quote: unexpected,
    unavailable: () => undefined,
    complete,
    bill,
    errorResponse: chatError,
  }
  const serveFree = createServeFree(endpoint, {
    quota,
    lossMonitor: ({ model }) => models.push(model),
    count: ({ model }) => models.push(model),
    report: (error) => faults.push(error),
  })
  const app = express().post('/', async (_, response) => {
    const observation = createObservation({ requestId: 'r', network: 'base', now: Date.now })
    const client = { response, signal, giveUp: signal, observation }
    await serveFree({ ...client, sale: 'sale', offer, address })
    if (signal.aborted) response.end()
  })
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ends.push(() => void server.close())
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
    method: 'POST',
  })
  const hold = await quota.hold(address, limits.perAddress)
  const used = hold.status === 'held' ? 0n : limits.perAddress - hold.remaining
  return { status: response.status, text: await response.text(), used, faults, models }
}

const fails =
  (code: UpstreamErrorCode): Complete =>
  async () => ({
    status: 'failed',
    error: new UpstreamError('it failed', { code, provider: 'sandbox' }),
  })

test('a provider that fails uses nothing of the quota', async () => {
  const { status, text, used } = await ask('a', fails('upstream_unavailable'))
  expect([status, used]).toEqual([503, 0n])
  expect(text).toContain('Nothing of the free quota was used')
})

test.each([
  ['a request that the provider refuses', 'upstream_rejected', 500],
  ['an answer that cannot be used', 'upstream_unusable', 503],
] as const)('%s uses the minimum charge', async (_, code, expected) => {
  const { status, text, used } = await ask(code, fails(code))
  expect([status, used]).toEqual([expected, 1_000n])
  expect(text).toContain('0.001000 USDC of the free quota was used')
})

test('after a fault of our own the most that the call could cost counts as used', async () => {
  const fault = new Error('a fault')
  const { status, used, faults } = await ask('c', () => Promise.reject(fault))
  expect([status, used, faults]).toEqual([500, 3_000n, [fault]])
})

test('a client that disconnected before the provider was called uses nothing', async () => {
  const { used, faults } = await ask('d', unexpected, { signal: AbortSignal.abort() })
  expect([used, faults]).toEqual([0n, []])
})

test('the model that served is billed to the quota, as it is to a payment', async () => {
  const served: Complete = async () => ({ status: 'delivered', delivery: undefined as never })
  const bill: Client['bill'] = async () => ({
    model: 'fallback',
    cost: atomicUsdc(2_000n),
    usage: { inputTokens: 1, outputTokens: 1, source: 'provider' },
    upstream: undefined,
    ending: { type: 'json', statusCode: 200, body: '{}' },
  })
  const { status, used, models } = await ask('e', served, { bill })
  expect([status, used, models]).toEqual([200, 2_000n, ['fallback', 'fallback']])
  const free = await store.freeUseByDay({ from: 0, to: Date.now() + 86_400_000 })
  expect(free).toContainEqual(expect.objectContaining({ model: 'fallback', calls: 1 }))
})
