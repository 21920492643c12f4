import { expect, test } from 'vitest'
import {
  chatCompletionSchema,
  chatEstimateSchema,
  chatRequestSchema,
  errorCodes,
  errorSchema,
  imageErrorSchema,
  imageRequestSchema,
  messagesErrorSchema,
  openApiDocument,
  paymentRequiredSchema,
  paymentSchema,
} from '../src/index.ts'
import {
  chatExample,
  completionExample,
  errorExample,
  estimateExample,
  imageErrorExample,
  imageExample,
  messagesErrorExample,
  notFoundExample,
  paymentExample,
  paymentRequiredExample,
} from '../src/open-api/examples.ts'
import { chatFieldTexts, imageFieldTexts } from '../src/open-api/field-texts.ts'

const options = { serverUrl: 'https://farebox.example', version: '1.2.3' }

test('the document lists every path of the service, and only the free ones for the estimator', () => {
  const all = openApiDocument({ ...options, endpoints: 'all' })
  const free = openApiDocument({ ...options, endpoints: 'free' })
  const freePaths = [
    '/v1/estimate',
    '/v1/images/estimate',
    '/v1/responses/input_tokens',
    '/v1/messages/count_tokens',
    '/v1/models',
    '/v1/models/{id}',
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
    '/v1/channel',
    '/v1/channels/{id}',
    ...freePaths,
  ])
})

test('the document contains the limits of the schemas', () => {
  const text = JSON.stringify(openApiDocument({ ...options, endpoints: 'all' }))
  expect(text).toContain('"maximum":128000,"default":4096')
  expect(text).toContain('"maxLength":100000')
  expect(text).toContain('"multipleOf":64')
  expect(text).toContain('authorization_reused')
  expect(text).toContain('"schema":{"type":"string","maxLength":256}')
})

const document = openApiDocument({ ...options, endpoints: 'all' })
const operations = Object.entries(Object(document['paths']) as Record<string, object>).flatMap(
  ([path, methods]) => Object.values(methods).map((operation) => ({ path, operation })),
)

test('the messages of a chat and the parts of a message are named by their role and type', () => {
  const text = JSON.stringify(openApiDocument({ ...options, endpoints: 'all' }))
  for (const title of ['system', 'user', 'assistant', 'developer', 'tool', 'text', 'image_url']) {
    expect(text).toContain(`"title":"${title}"`)
  }
})

test('a path is tagged as paid exactly when it can answer 402, except for the return of a channel', () => {
  for (const { path, operation } of operations) {
    const isSold = '402' in operation.responses && path !== '/v1/channel'
    const tag = isSold ? 'Paid' : 'Free'
    expect([path, operation.tags]).toEqual([path, [tag]])
  }
})

test('the introduction has the steps of paying, and each error with its status', () => {
  const { description } = Object(document['info'])
  for (const step of ['**Ask.**', '**Sign.**', '**Repeat.**', '**Receive the rest.**']) {
    expect(description).toContain(step)
  }
  for (const code of Object.keys(errorCodes)) {
    expect(description).toMatch(new RegExp(`\\| \\d{3} \\| \`${code}\` \\|`))
  }
})

test('the introduction distinguishes a payment to resume from a failure of the provider', () => {
  const { description } = Object(document['info'])
  expect(description).toContain(
    '**503 with `X-Payment-Id` and `Retry-After`** means that repeating',
  )
  expect(description).toContain('**503 with `X-Payment-Id` alone** means that the provider failed')
  expect(description).not.toMatch(/503 with `X-Payment-Id`\**\s(?!and|alone)/)
})

test('only the path of payments has the example of a payment that is not found', () => {
  const examples = operations.filter(({ operation }) =>
    JSON.stringify(operation).includes('No payment has this id.'),
  )
  expect(examples.map(({ path }) => path)).toEqual(['/v1/payments/{id}'])
})

test('each response of 429 and 503 has Retry-After, but not that of readiness', () => {
  const without: string[] = []
  for (const [path, operations] of Object.entries<object>(Object(document['paths']))) {
    for (const { responses } of Object.values<{ responses: object }>(Object(operations))) {
      for (const status of ['429', '503']) {
        const response: unknown = Reflect.get(responses, status)
        if (response === undefined) continue
        const headers = Object.keys(Object(Object(response)['headers']))
        if (!headers.includes('Retry-After')) without.push(`${path} ${status}`)
      }
    }
  }
  expect(without).toEqual(['/ready 503'])
})

test.each([
  ['chat request', chatRequestSchema, chatExample],
  ['image request', imageRequestSchema, imageExample],
  ['completion', chatCompletionSchema.strict(), completionExample],
  ['402', paymentRequiredSchema, paymentRequiredExample],
  ['estimate', chatEstimateSchema.strict(), estimateExample],
  ['payment', paymentSchema.strict(), paymentExample],
  ['error', errorSchema.strict(), errorExample],
  ['404', errorSchema.strict(), notFoundExample],
  ['image error', imageErrorSchema.strict(), imageErrorExample],
  ['Messages error', messagesErrorSchema.strict(), messagesErrorExample],
])('the example of a %s is valid', (_, schema, example) => {
  expect(schema.safeParse(example).error).toBeUndefined()
})

test('every described field exists', () => {
  expect(Object.keys(chatRequestSchema.in.shape)).toEqual(
    expect.arrayContaining(Object.keys(chatFieldTexts)),
  )
  expect(Object.keys(imageRequestSchema.shape).sort()).toEqual(Object.keys(imageFieldTexts).sort())
})
