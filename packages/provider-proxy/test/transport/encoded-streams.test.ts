import type { ServerResponse } from 'node:http'
import { createBrotliCompress, createDeflate, createGzip, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { collectCompletion } from '../../src/index.ts'
import { createTransport } from '../../src/transport/upstream-transport.ts'
import { chatCall } from '../support/call.ts'
import { connectedProviders } from '../support/connected.ts'
import { arrival } from '../support/in-steps.ts'
import { chunk } from '../support/provider-server.ts'

const { setUp } = connectedProviders()

const encodings = [
  ['gzip', createGzip],
  ['br', createBrotliCompress],
  ['deflate', createDeflate],
] as const

function begin(response: ServerResponse, encoding: string): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': encoding })
  response.flushHeaders()
}

const last = `${chunk({ content: 'é' }, { finish: 'stop' })}data: [DONE]\n\n`

test.each(encodings)(
  'a stream compressed with %s is read as it arrives',
  async (encoding, create) => {
    let finish = (): void => undefined
    const { provider, server } = await setUp((response) => {
      begin(response, encoding)
      const compressor = create()
      compressor.pipe(response)
      compressor.write(chunk({ content: 'caf' }))
      compressor.flush()
      finish = () => compressor.end(last)
    })
    for (let round = 0; round < 2; round += 1) {
      const stream = await provider.open(chatCall('hello'))
      finish()
      const outcome = await collectCompletion(stream)
      expect(outcome.completion(null).choices[0]?.message.content).toBe('café')
      await arrival()
    }
    expect(server.connections()).toBe(1)
  },
)

test('a compressed stream whose connection breaks is read up to there', async () => {
  const { provider } = await setUp((response) => {
    begin(response, 'gzip')
    const compressor = createGzip()
    compressor.on('data', (bytes) => response.write(bytes))
    compressor.write(chunk({ content: 'a' }))
    compressor.flush(() => setTimeout(() => response.destroy(), 50))
  })
  const stream = await provider.open(chatCall('hello'))
  const events = stream.events[Symbol.asyncIterator]()
  expect(await events.next()).toMatchObject({ value: { type: 'chunk' } })
  await expect(events.next()).rejects.toMatchObject({ code: 'upstream_truncated' })
})

test('a stream that is not what its encoding says is a failure', async () => {
  const { provider, server } = await setUp((response) => {
    begin(response, 'gzip')
    response.write(chunk({ content: 'a' }))
  })
  await expect(provider.open(chatCall('hello'))).rejects.toMatchObject({
    code: 'upstream_truncated',
  })
  await expect.poll(() => server.sockets.size).toBe(0)
})

test('a compressed event of a ten million bytes is a failure', async () => {
  const bomb = gzipSync(`data: ${'a'.repeat(10_000_000)}`)
  const { provider } = await setUp((response) => {
    begin(response, 'gzip')
    response.end(bomb)
  })
  await expect(provider.open(chatCall('hello'))).rejects.toMatchObject({
    code: 'upstream_truncated',
  })
})

test('a compressed stream waits for a reader that pauses', async () => {
  const text = last.repeat(400_000)
  const { server } = await setUp((response) => {
    begin(response, 'gzip')
    response.end(gzipSync(text))
  })
  const transport = createTransport({ baseUrl: server.url, connectTimeout: 5_000 })
  let length = 0
  await new Promise<void>((resolve) => {
    const receiver = {
      head: () => undefined,
      data: (bytes: Buffer) => {
        length += bytes.length
        if (length > bytes.length) return
        exchange.pause()
        setTimeout(() => {
          expect(length).toBe(bytes.length)
          exchange.resume()
        }, 200)
      },
      end: resolve,
      failed: () => undefined,
    }
    const exchange = transport.post({ path: '/', headers: {}, body: '{}' }, receiver)
  })
  expect(length).toBe(Buffer.byteLength(text))
  await transport.close()
})
