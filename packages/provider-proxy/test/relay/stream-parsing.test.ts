import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type ConnectedChatProvider,
  collectCompletion,
  createOpenAiCompatibleProvider,
  customProfile,
} from '../../src/index.ts'
import { chatCall } from '../support/call.ts'
import {
  chunk,
  event,
  openEvents,
  type ProviderServer,
  startProviderServer,
} from '../support/provider-server.ts'

const words = ['Grüße, ', '世界 ', '🚲🚲 ', 'data: [DONE]\n\n', '\u2028', 'é', ' end.']
const response = [
  ': warming up\n\n',
  'retry: 1000\n\n',
  event({ id: 'up', choices: [], prompt_filter_results: [] }),
  chunk({ role: 'assistant', content: '' }),
  ...words.map((content) => chunk({ content })),
  ': still here\n\n',
  chunk({}, { finish: 'stop' }),
  event({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 11, total_tokens: 18 } }),
  'data: [DONE]\n\n',
].join('')

let bytes: readonly Uint8Array[] = []
let server: ProviderServer
let provider: ConnectedChatProvider

beforeAll(async () => {
  server = await startProviderServer(async (response) => {
    openEvents(response)
    for (const part of bytes) {
      response.write(part)
      await new Promise((resolve) => setImmediate(resolve))
    }
    response.end()
  })
  provider = createOpenAiCompatibleProvider({ profile: customProfile, baseUrl: server.url })
})

afterAll(async () => {
  await provider.close()
  await server.stop()
})

async function readingOf(parts: readonly Uint8Array[]): Promise<unknown> {
  bytes = parts
  const outcome = await collectCompletion(await provider.open(chatCall('hello')))
  const [choice] = outcome.completion(null).choices
  const { usage } = outcome
  return {
    text: choice?.message.content,
    reason: choice?.finish_reason,
    tokens: [usage?.inputTokens, usage?.outputTokens],
  }
}

const expected = { text: words.join(''), reason: 'stop', tokens: [7, 11] }

function splitAt(buffer: Uint8Array, cuts: readonly number[]): readonly Uint8Array[] {
  const ends = [...new Set(cuts.map((cut) => cut % buffer.length)), buffer.length].sort(
    (a, b) => a - b,
  )
  let from = 0
  return ends.flatMap((end) => {
    const part = buffer.subarray(from, end)
    from = end
    return part.length === 0 ? [] : [part]
  })
}

test.each([
  ['LF', '\n'],
  ['CR LF', '\r\n'],
  ['CR', '\r'],
])('line ends of %s, a byte order mark, and any split give the same result', async (_, end) => {
  const text = `\uFEFF${response.replaceAll('\n', end)}`
  const buffer = Buffer.from(text)
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat({ max: 1_000_000 }), { minLength: 0, maxLength: 40 }),
      async (cuts) => {
        expect(await readingOf(splitAt(buffer, cuts))).toEqual(expected)
      },
    ),
    { numRuns: 40 },
  )
})

test('byte by byte gives the same result', async () => {
  const buffer = Buffer.from(response.replaceAll('\n', '\r\n'))
  const parts = [...buffer].map((byte) => Uint8Array.of(byte))
  expect(await readingOf(parts)).toEqual(expected)
})

test('an event without its blank line at the end of the stream is not read', async () => {
  bytes = [Buffer.from(chunk({ content: 'a' }) + chunk({}, { finish: 'stop' }).trimEnd())]
  await expect(
    provider.open(chatCall('hello')).then((stream) => collectCompletion(stream)),
  ).rejects.toMatchObject({ code: 'upstream_truncated' })
})

test('an endless line is cut off, and its connection closed', async () => {
  const filler = 'x'.repeat(65_536)
  const endless = await startProviderServer((response) => {
    openEvents(response)
    response.write(`${chunk({ content: 'a' })}data: `)
    const pour = (): void => {
      while (!response.destroyed && response.write(filler));
    }
    response.on('drain', pour)
    pour()
  })
  const own = createOpenAiCompatibleProvider({ profile: customProfile, baseUrl: endless.url })
  const stream = await own.open(chatCall('hello'))
  await expect(collectCompletion(stream)).rejects.toMatchObject({
    code: 'upstream_truncated',
    cause: { type: 'max-buffer-size-exceeded' },
  })
  await expect.poll(() => endless.sockets.size).toBe(0)
  await own.close()
  await endless.stop()
})
