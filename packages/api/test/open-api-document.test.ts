import { expect, test } from 'vitest'
import { openApiDocument } from '../src/index.ts'

const options = { serverUrl: 'https://farebox.example', version: '1.2.3' }

test('the document lists every path of the service, and only the free ones for the estimator', () => {
  const all = openApiDocument({ ...options, endpoints: 'all' })
  const free = openApiDocument({ ...options, endpoints: 'free' })
  const freePaths = [
    '/v1/estimate',
    '/v1/images/estimate',
    '/v1/models',
    '/v1/models/{id}',
    '/v1/responses/input_tokens',
    '/v1/messages/count_tokens',
    '/v1/images/models',
    '/v1/health',
    '/health',
    '/ready',
  ]
  expect(Object.keys(Object(free['paths']))).toEqual(freePaths)
  expect(Object.keys(Object(all['paths']))).toEqual([
    '/v1/chat/completions',
    '/v1/responses',
    '/v1/messages',
    '/v1/images/generations',
    '/v1/images/generate',
    '/v1/payments/{id}',
    ...freePaths,
  ])
})

test('the document contains the limits of the schemas', () => {
  const text = JSON.stringify(openApiDocument({ ...options, endpoints: 'all' }))
  expect(text).toContain('"maximum":128000,"default":4096')
  expect(text).toContain('"maxLength":100000')
  expect(text).toContain('"multipleOf":64')
  expect(text).toContain('authorization_reused')
})
