import { closeServer, createHttpServer, errorHandler, listen } from '@farebox/http'
import { createTokenCounter } from '@farebox/tokenizer/node'
import express from 'express'
import { expect, onTestFinished, test } from 'vitest'

test('a request that finds no room to be counted gets 503 and may be repeated', async () => {
  const counter = createTokenCounter({ maxQueueBytes: 0 })
  const app = express().get('/', async () => {
    await counter.countText('generic', 'word '.repeat(10_000))
  })
  app.use(errorHandler(() => undefined))
  const server = createHttpServer().on('request', app)
  const url = await listen(server, { host: '127.0.0.1', port: 0 })
  onTestFinished(async () => {
    await closeServer(server)
    await counter.close()
  })
  const response = await fetch(url)
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2'])
  expect(await response.json()).toMatchObject({ error: { code: 'overloaded' } })
})
