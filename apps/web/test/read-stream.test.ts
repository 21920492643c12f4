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

function streamed(...choices: readonly object[]): Response {
  const events = choices.map((choice) => `data: ${JSON.stringify({ choices: [choice] })}\n\n`)
  return new Response([...events, 'data: [DONE]\n\n'].join(''))
}

test('a complete answer says why the model ended it', async () => {
  const part = { delta: { content: 'A fare' }, finish_reason: null }
  const end = await readStream(streamed(part, { delta: {}, finish_reason: 'length' }), nothing)
  expect(end).toEqual({ status: 'complete', finishReason: 'length' })
})

test('a refusal of the model is text', async () => {
  const texts: string[] = []
  const refused = streamed({ delta: { refusal: 'No.' }, finish_reason: 'stop' })
  await readStream(refused, { ...nothing, onText: (text) => texts.push(text) })
  expect(texts).toEqual(['No.'])
})
