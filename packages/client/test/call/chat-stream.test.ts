import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createChatStream } from '../../src/call/chat-stream.ts'
import { chunk, payment } from '../support/bodies.ts'

const texts = ['Grüß', ' dich', ', 世界', ' 👋🏽']
const events = [
  ': keep-alive',
  ...texts.map((text) => `data: ${JSON.stringify(chunk(text))}`),
  `: receipt ${JSON.stringify(payment)}`,
  'data: [DONE]',
]

/** A body split at the given offsets, possibly inside a character. */
function piecewise(bytes: Uint8Array<ArrayBuffer>, cuts: readonly number[]): Response {
  const places = [0, ...[...cuts].sort((a, b) => a - b), bytes.length]
  const pieces = places.slice(1).map((end, index) => bytes.slice(places[index], end))
  return new Response(
    new ReadableStream<Uint8Array<ArrayBuffer>>({
      start(controller) {
        for (const piece of pieces) controller.enqueue(piece)
        controller.close()
      },
    }),
  )
}

test.each([
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['CR', '\r'],
])('a stream with %s line endings reads the same however it is split', async (_, lineEnd) => {
  const text = events.map((event) => `${event}${lineEnd}${lineEnd}`).join('')
  const bytes = new TextEncoder().encode(text)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 40 }), async (cuts) => {
      const noted: string[] = []
      const stream = createChatStream(piecewise(bytes, cuts), ({ id }) => noted.push(id))
      const read: (string | null | undefined)[] = []
      for await (const part of stream) read.push(part.choices[0]?.delta.content)
      expect(read).toEqual(texts)
      expect(stream.payment()).toEqual(payment)
      expect(noted).toEqual(['pay_1'])
    }),
    { numRuns: 50 },
  )
})
