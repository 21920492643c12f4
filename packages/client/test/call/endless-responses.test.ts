import { expect, test } from 'vitest'
import { createChatStream } from '../../src/call/chat-stream.ts'
import { watchReceipt } from '../../src/call/watch-receipt.ts'
import { maxBytes } from '../../src/http/max-bytes.ts'
import { piecesOf } from '../../src/http/pieces-of.ts'
import { readJson } from '../../src/http/read-json.ts'
import { payment } from '../support/bodies.ts'

const piece = new Uint8Array(maxBytes / 8).fill('a'.charCodeAt(0))
const headers = { 'content-type': 'text/event-stream', 'x-payment-id': 'pay_1' }

/** A body that begins with this text and then has pieces without a line end. */
function endless(text: string, pieces = Number.POSITIVE_INFINITY, end = ''): Response {
  let sent = 0
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull(controller) {
        sent += 1
        if (sent === 1) controller.enqueue(new TextEncoder().encode(text))
        else if (sent <= pieces + 1) controller.enqueue(piece)
        else {
          controller.enqueue(new TextEncoder().encode(end))
          controller.close()
        }
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { headers })
}

const tooLarge = {
  code: 'invalid_response',
  message: 'The response is larger than 256 MB.',
  paymentId: 'pay_1',
}

test('a body that does not end is an error', async () => {
  await expect(readJson(endless('"'))).rejects.toMatchObject(tooLarge)
})

test('a copy of a body that does not end is an error, while the body is not read', async () => {
  await expect(readJson(endless('"').clone())).rejects.toMatchObject(tooLarge)
})

test('an event that does not end is an error of the stream', async () => {
  const stream = createChatStream(endless('data: "'), () => undefined)
  await expect(stream[Symbol.asyncIterator]().next()).rejects.toMatchObject(tooLarge)
})

test('an event that is too large passes through, and the receipt after it is noted', async () => {
  const noted: string[] = []
  const end = `\n\n: receipt ${JSON.stringify(payment)}\n\n`
  const watched = watchReceipt(endless('data: ', 9, end), ({ id }) => noted.push(id))
  let size = 0
  for await (const bytes of piecesOf(watched)) size += bytes.length
  expect(size).toBeGreaterThan(maxBytes)
  expect(noted).toEqual(['pay_1'])
})
