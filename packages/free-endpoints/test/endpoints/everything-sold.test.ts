import { shippedCatalog } from '@farebox/catalogs'
import { createTokenCounter } from '@farebox/tokenizer/node'
import request from 'supertest'
import { afterAll, expect, test } from 'vitest'
import { now, serveShipped } from './serve-shipped.ts'

const counter = createTokenCounter()
const server = serveShipped(counter).listen(0)
afterAll(async () => {
  server.close()
  await counter.close()
})
const { chat, images } = shippedCatalog(now)

test('every listed chat model can be estimated with the defaults', async () => {
  const { body: list } = await request(server).get('/v1/models')
  expect(list.total).toBe(chat.length)
  for (const { id } of list.models) {
    const { status, body } = await request(server)
      .post('/v1/estimate')
      .send({ model: id, messages: [{ role: 'user', content: 'Hello' }] })
    expect([id, status]).toEqual([id, 200])
    expect(body).toMatchObject({ model: id })
  }
})

test('every listed image model can be estimated with the defaults', async () => {
  const { body: list } = await request(server).get('/v1/images/models')
  expect(list.total).toBe(images.length)
  for (const { id } of list.models) {
    const { status, body } = await request(server).post('/v1/images/estimate').send({ model: id })
    expect([id, status]).toEqual([id, 200])
    expect(body).toMatchObject({ model: id, number_of_images: 1 })
  }
})
