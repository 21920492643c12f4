import { atomicUsdc } from '@farebox/money'
import { afterEach, expect, test, vi } from 'vitest'
import { chunk, completion } from '../support/bodies.ts'
import { json, type Script } from '../support/test-gateway.ts'
import { testStage } from '../support/test-stage.ts'

const hello = { messages: [{ role: 'user', content: 'Hello' }] } as const
const stage = testStage()
afterEach(() => {
  vi.restoreAllMocks()
})

const settled =
  (script: Script): Script =>
  async (response, arrival) => {
    for (const [name, value] of Object.entries(await stage.gateway.settle(arrival))) {
      response.setHeader(name, value)
    }
    await script(response, arrival)
  }

/** Sends the beginning of a body. */
const breakOff: Script = async (response) => {
  response.writeHead(200, { 'content-length': '100' })
  await new Promise((sent) => response.write('{', sent))
  response.destroy()
}

test('the cost of an earlier call that cannot be read does not fail the next one', async () => {
  stage.gateway.free = { '/v1/payments/pay_1': breakOff }
  stage.gateway.paid = [settled((response) => json(response, 200, completion))]
  const client = stage.connect({ maxTotal: atomicUsdc(1_999n) })
  await client.chat(hello)
  await expect(client.chat(hello)).rejects.toMatchObject({ code: 'spend_cap_exceeded' })
})

test('a response that breaks off throws connection_lost with its payment', async () => {
  stage.gateway.paid = [settled(breakOff)]
  await expect(stage.connect().chat(hello)).rejects.toMatchObject({
    code: 'connection_lost',
    paymentId: 'pay_1',
  })
})

test('a free call needs no Request.body, which Firefox lacks', async () => {
  vi.spyOn(Request.prototype, 'body', 'get').mockReturnValue(undefined as unknown as null)
  stage.gateway.free = { '/v1/models': (response) => json(response, 200, {}) }
  expect((await stage.connect().fetch('/v1/models')).status).toBe(200)
})

test('a stream whose connection breaks is stream_truncated', async () => {
  stage.gateway.paid = [
    async (response, arrival) => {
      response.writeHead(200, await stage.gateway.settle(arrival))
      await new Promise((sent) => response.write(`data: ${JSON.stringify(chunk('Hel'))}\n\n`, sent))
      response.destroy()
    },
  ]
  const answer = await stage.connect().chatStream(hello)
  const read = async (): Promise<void> => {
    for await (const part of answer) expect(part.choices).toHaveLength(1)
  }
  await expect(read()).rejects.toMatchObject({ code: 'stream_truncated', paymentId: 'pay_1' })
})

test('a stream that the caller aborts throws the reason', async () => {
  const leaving = new AbortController()
  stage.gateway.paid = [
    async (response, arrival) => {
      response.writeHead(200, await stage.gateway.settle(arrival))
      response.write(`data: ${JSON.stringify(chunk('Hel'))}\n\n`)
    },
  ]
  const answer = await stage.connect().chatStream(hello, { signal: leaving.signal })
  const read = async (): Promise<void> => {
    for await (const _ of answer) leaving.abort(new Error('enough'))
  }
  await expect(read()).rejects.toThrow('enough')
})
