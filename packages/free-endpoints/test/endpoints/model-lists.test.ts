import { chatModelListSchema, imageModelListSchema } from '@farebox/api'
import { defaultChatModels, defaultImageModel, shippedData } from '@farebox/catalogs'
import { createTokenCounter } from '@farebox/tokenizer/node'
import request from 'supertest'
import { afterAll, expect, test } from 'vitest'
import { serveShipped } from './serve-shipped.ts'

const counter = createTokenCounter()
const server = serveShipped(counter).listen(0)
afterAll(async () => {
  server.close()
  await counter.close()
})

const [defaultChatModel] = defaultChatModels

test('GET /v1/models and /v1/images/models list what is sold, with the margin in each price', async () => {
  const chat = await request(server).get('/v1/models')
  const { total, models } = chatModelListSchema.parse(chat.body)
  expect([total, models.length]).toEqual([shippedData.chat.length, shippedData.chat.length])
  expect(models.find(({ id }) => id === 'openai/gpt-4.1-mini')).toMatchObject({
    context_length: 1_047_576,
    pricing: {
      input_per_1k_tokens: 0.00041,
      output_per_1k_tokens: 0.00164,
      blended_per_1k_tokens: 0.001025,
    },
  })
  const images = await request(server).get('/v1/images/models')
  const list = imageModelListSchema.parse(images.body)
  expect(list.total).toBe(list.models.length)
  const byDefault = list.models.find(({ id }) => id === defaultImageModel)
  expect(byDefault?.pricing).toMatchObject({ '1024x1024': '$0.00328' })
  for (const model of list.models) {
    for (const [size, price] of Object.entries(model.pricing)) {
      expect(size).toMatch(/^\d+x\d+$/)
      expect(price).toMatch(/^\$\d+(\.\d+)?$/)
    }
    expect(model.defaultSteps === undefined).toBe(!model.supportsSteps)
  }
  expect(list.note).toMatch(/^Prices of one image at the model's default steps/)
})

test('the list of models has the fields of OpenAI too', async () => {
  const { body } = await request(server).get('/v1/models').expect(200)
  expect(body.object).toBe('list')
  expect(body.data.map(({ id }: { id: string }) => id)).toEqual(
    body.models.map(({ id }: { id: string }) => id),
  )
  expect(body.data[0]).toEqual({
    id: body.models[0].id,
    object: 'model',
    created: expect.any(Number),
    owned_by: expect.any(String),
  })
  const { created } = body.data.find(({ id }: { id: string }) => id === 'openai/gpt-5')
  expect(new Date(created * 1000)).toEqual(new Date('2025-08-07'))
  const opus = body.data.find(({ id }: { id: string }) => id === 'anthropic/claude-opus-5')
  expect(new Date(opus.created * 1000)).toEqual(new Date('2026-11-10'))
})

test.each([
  defaultChatModel,
  encodeURIComponent(defaultChatModel),
  defaultChatModel.replace(/^.*\//, ''),
])('GET /v1/models/%s gives the model', async (id) => {
  const { body } = await request(server).get(`/v1/models/${id}`).expect(200)
  expect(body).toMatchObject({ id: defaultChatModel, object: 'model' })
})

test.each([
  ['acme/none', 'is not sold here. GET /v1/models lists the models that are.'],
  [
    'gpt-oss-120b',
    'may be any of cerebras/gpt-oss-120b, openai/gpt-oss-120b. Use one of these ids.',
  ],
])('GET /v1/models/%s is a 404 with the fix', async (id, problem) => {
  const { body } = await request(server).get(`/v1/models/${id}`).expect(404)
  expect(body.error.message).toBe(`The model "${id}" ${problem}`)
})
