import { expect, test } from 'vitest'
import { readStream } from '../src/chat/read-stream.ts'

const nothing = { onText: () => {}, onReasoning: () => {}, onReceipt: () => {} }

function failingAnswer(error: Error): Response {
  return new Response(new ReadableStream({ pull: (controller) => controller.error(error) }))
}

test('a connection that breaks within an answer is a lost stream', async () => {
  const end = await readStream(failingAnswer(new TypeError('network error')), nothing)
  expect(end).toEqual({ status: 'lost', message: 'The connection was lost.' })
})

test('an answer that its visitor stopped is stopped', async () => {
  const stopped = new DOMException('stopped', 'AbortError')
  await expect(readStream(failingAnswer(stopped), nothing)).rejects.toBe(stopped)
})
