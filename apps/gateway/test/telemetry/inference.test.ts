import type { PaymentRecord } from '@farebox/ledger'
import { claimedRecord } from '@farebox/ledger/store'
import { expect, test } from 'vitest'
import type { EndedRequest } from '../../src/observe/request-trace.ts'
import { inferenceOf } from '../../src/telemetry/inference.ts'
import { newSale } from '../support/new-sale.ts'

const payment: PaymentRecord = {
  ...claimedRecord({ ...newSale(), model: 'asked' }),
  status: 'completed',
}
const request: EndedRequest = {
  requestId: 'a',
  method: 'POST',
  path: '/v1/chat/completions',
  route: '/v1/chat/completions',
  client: '127.0.0.1',
  status: 200,
  streamed: true,
  cut: false,
  startedAt: 0,
  endedAt: 10,
  phases: [
    { phase: 'begin', from: 0, until: 2 },
    { phase: 'upstream', from: 2, until: 5 },
    { phase: 'relay', from: 5, until: 9 },
  ],
  facts: { model: 'served', provider: 'gemini' },
  payment,
}

test('a call lasts from the request to the last byte, and has the provider name of the conventions', () => {
  expect(inferenceOf(request)).toMatchObject({
    name: 'chat asked',
    from: 2,
    firstAt: 5,
    until: 9,
    attributes: {
      'gen_ai.provider.name': 'gcp.gemini',
      'gen_ai.request.model': 'asked',
      'gen_ai.response.model': 'served',
    },
  })
})

test('a fallback that served is the model of the payment, and not that of the request', () => {
  const fallback = inferenceOf({
    ...request,
    facts: { model: 'served', requestedModel: 'asked' },
    payment: { ...payment, model: 'served' },
  })
  expect(fallback?.name).toBe('chat asked')
  expect(fallback?.attributes).toMatchObject({
    'gen_ai.request.model': 'asked',
    'gen_ai.response.model': 'served',
  })
})

test('an image is content that is generated', () => {
  const image = { ...request, route: '/v1/images/generate' }
  expect(inferenceOf(image)?.name).toBe('generate_content asked')
})

test('a provider that failed before its first byte has no time of it', () => {
  const failed = inferenceOf({
    ...request,
    phases: [{ phase: 'relay', from: 2, until: 3 }],
    facts: { model: 'asked' },
    payment: { ...payment, status: 'failed', reason: 'upstream_timeout' },
  })
  expect(failed).toMatchObject({ from: 2, until: 3, firstAt: undefined, error: 'upstream_timeout' })
  expect(failed?.attributes).toEqual({
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'asked',
    'error.type': 'upstream_timeout',
  })
})

test.each([
  ['a request without a payment', { payment: undefined }],
  ['a request that called no provider', { phases: request.phases.slice(0, 1) }],
])('%s has no call', (_, change) => {
  expect(inferenceOf({ ...request, ...change })).toBeUndefined()
})
