import * as api from '@farebox/api'
import { expect, test } from 'vitest'
import * as shapes from '../../src/call/body-shapes.ts'
import type { Shape } from '../../src/call/shape.ts'
import { payment } from '../support/bodies.ts'

const reasoning = { type: 'reasoning.text', format: null, index: 0, text: 'a', summary: 'b' }
const usage = {
  prompt_tokens: 1,
  completion_tokens: 2,
  total_tokens: 3,
  prompt_tokens_details: { cached_tokens: 1 },
  completion_tokens_details: { reasoning_tokens: 1, image_tokens: 0, audio_tokens: 0 },
  queue_time: 0.5,
  prompt_time: 1,
  completion_time: 1,
  total_time: 1,
}
const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }
const chat = {
  id: 'a',
  created: 1,
  model: 'm',
  system_fingerprint: 'f',
  usage,
}
const delta = { content: 'x', reasoning: null, reasoning_details: [reasoning], refusal: null }
const pricing = { input_per_1k_tokens: 0.1, output_per_1k_tokens: 1, blended_per_1k_tokens: 1 }
const estimatedCost = { usd: '0.1', note: 'n' }
const named = { id: 'm', name: 'M', description: 'd' }

type Schema = { safeParse(value: unknown): { readonly success: boolean } }

/** A complete example of each body: every optional field is present. */
const bodies: readonly (readonly [string, Schema, Shape, object])[] = [
  [
    'chatCompletion',
    api.chatCompletionSchema,
    shapes.chatCompletionShape,
    {
      ...chat,
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          message: { ...delta, role: 'assistant', tool_calls: [call] },
          finish_reason: 'stop',
        },
      ],
    },
  ],
  [
    'chatChunk',
    api.chatChunkSchema,
    shapes.chatChunkShape,
    {
      ...chat,
      object: 'chat.completion.chunk',
      choices: [
        {
          index: 0,
          delta: { ...delta, role: 'assistant', tool_calls: [{ index: 0, ...call }] },
          finish_reason: null,
        },
      ],
    },
  ],
  [
    'chatEstimate',
    api.chatEstimateSchema,
    shapes.chatEstimateShape,
    {
      model: 'm',
      estimatedInputTokens: 1,
      estimatedOutputTokens: 2,
      estimatedCost,
      message: 'm',
      explanation: [{ label: 'l' }],
    },
  ],
  [
    'imageEstimate',
    api.imageEstimateSchema,
    shapes.imageEstimateShape,
    {
      model: 'm',
      dimensions: 'd',
      number_of_images: 1,
      estimatedCost,
      explanation: [{ label: 'l' }],
    },
  ],
  [
    'chatModelList',
    api.chatModelListSchema,
    shapes.chatModelListShape,
    {
      object: 'list',
      data: [{ id: 'm', object: 'model', created: 1, owned_by: 'o' }],
      total: 1,
      models: [{ ...named, context_length: 8, pricing }],
    },
  ],
  [
    'imageModelList',
    api.imageModelListSchema,
    shapes.imageModelListShape,
    {
      total: 1,
      models: [
        {
          ...named,
          architecture: 'a',
          category: 'fast',
          supportsSteps: true,
          defaultSteps: 4,
          pricing: { '1x1': '1' },
        },
      ],
      note: 'n',
    },
  ],
  [
    'imageResult',
    api.imageResultSchema,
    shapes.imageResultShape,
    {
      model: 'm',
      dimensions: 'd',
      images: [{ url: 'u', b64_json: 'b', seed: 1 }],
      number_of_images: 1,
      cost: { usd: '1', usdc: '1' },
    },
  ],
  ['payment', api.paymentSchema, shapes.paymentShape, { ...payment, usage: { tokens: 1 } }],
  [
    'networkHealth',
    api.networkHealthSchema,
    shapes.networkHealthShape,
    {
      status: 'degraded',
      timestamp: '2026-11-20T00:00:00Z',
      issues: ['sales_stopped'],
      network: 'base',
      mainnet: true,
      cdp: 'c',
    },
  ],
]

/** The value without one of its fields, or with a value of another kind in its place. */
function* variants(value: unknown): Generator {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    const { [key]: _, ...without } = value as Record<string, unknown>
    if (!Array.isArray(value)) yield without
    for (const other of [null, 1.5, 'other', true, [], {}, [null]]) yield replace(value, key, other)
    for (const variant of variants(inner)) yield replace(value, key, variant)
  }
}

function replace(value: object, key: string, inner: unknown): unknown {
  return Array.isArray(value) ? [inner] : { ...value, [key]: inner }
}

// The schema checks dates and words that the client does not use, and fewer amounts than it reads.
const looser = /timestamp|createdAt|updatedAt|issues|"usdc":"other"/

test.each(bodies)('%s: the shape agrees with the schema of the API', (_, schema, shape, body) => {
  expect(schema.safeParse(body).success).toBe(true)
  expect(shape(body)).toBe(true)
  const all = [...variants(body)]
  expect(all.length).toBeGreaterThan(30)
  const different = all.filter((variant) => schema.safeParse(variant).success !== shape(variant))
  const told = different.map((variant) => changedField(body, variant))
  expect(told.filter((field) => !looser.test(field))).toEqual([])
})

function changedField(body: object, variant: unknown): string {
  const after = variant as Record<string, unknown>
  const changed = Object.entries(body).find(
    ([key, value]) => JSON.stringify(after[key]) !== JSON.stringify(value),
  )
  return `${changed?.[0] ?? ''}: ${JSON.stringify(after[changed?.[0] ?? ''])}`
}
