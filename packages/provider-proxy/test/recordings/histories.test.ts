import { chatRequestSchema, parseWith } from '@farebox/api'
import { describe, expect, test } from 'vitest'
import { collectCompletion, UpstreamError } from '../../src/index.ts'
import { chatCall } from '../support/call.ts'
import { expectedReading } from './expected-reading.ts'
import { type Recording, readRecordings } from './recording.ts'
import { bytesOf, createReplay } from './replay.ts'

const recordings = readRecordings()

describe.skipIf(recordings.length === 0)('recorded responses as history', () => {
  test('every message of a response is accepted in the next request', async () => {
    const rejected: unknown[] = []
    let accepted = 0
    for (const recording of recordings) {
      for (const message of await messagesOf(recording)) {
        const parsed = parseWith(chatRequestSchema, { messages: [user, message, user] })
        if (parsed.status === 'valid') accepted += 1
        else rejected.push([recording.id, parsed.problem])
      }
    }
    expect(rejected).toEqual([])
    expect(accepted).toBeGreaterThanOrEqual(501)
  })
})

const user = { role: 'user', content: 'And then?' }

async function messagesOf(recording: Recording): Promise<readonly object[]> {
  const expected = expectedReading(recording)
  const n = 'choices' in expected ? expected.choices.length : 1
  const { provider, respond } = createReplay(recording)
  respond([bytesOf(recording)])
  try {
    const call = chatCall('hello', { maxTokens: 128_000, request: n > 1 ? { n } : {} })
    const outcome = await collectCompletion(await provider.open(call))
    return outcome.completion(null).choices.map(({ message }) => message)
  } catch (error) {
    if (error instanceof UpstreamError) return []
    throw error
  } finally {
    await provider.close()
  }
}
