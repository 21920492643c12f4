import { expect, test } from 'vitest'
import { createJsonThread, JsonThreadError } from '../../src/body/json-thread.ts'

const blocks = (text: string) => [new Uint8Array(Buffer.from(text))]

test('bodies parsed at once get their own values', async () => {
  const thread = createJsonThread()
  const texts = ['[1]', '{', '{"a":"\\u00e9"}', '']
  const parsed = await Promise.all(texts.map((text) => thread.parse(blocks(text))))
  expect(parsed).toEqual([
    { value: [1] },
    { fault: { line: 1, column: 2 } },
    { value: { a: 'é' } },
    { fault: undefined },
  ])
})

test('a value may lie in several blocks, cut within a character', async () => {
  const bytes = new Uint8Array(Buffer.from('"漢字"'))
  const parsed = await createJsonThread().parse([
    bytes.slice(0, 2),
    bytes.slice(2, 6),
    bytes.slice(6),
  ])
  expect(parsed).toEqual({ value: '漢字' })
})

test('a thread that ends rejects what waits, and another one starts', async () => {
  const source =
    'import { parentPort } from "node:worker_threads"; parentPort.on("message", () => process.exit(3))'
  const thread = createJsonThread(new URL(`data:text/javascript,${encodeURIComponent(source)}`))
  for (let index = 0; index < 2; index += 1) {
    await expect(thread.parse(blocks('1'))).rejects.toThrow(JsonThreadError)
  }
})
