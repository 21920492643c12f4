import { afterAll, describe, expect, test } from 'vitest'
import { collectedReading, relayedReading } from './actual-reading.ts'
import { expectedReading } from './expected-reading.ts'
import type { Reading } from './reading.ts'
import { type Recording, readRecordings } from './recording.ts'
import { bytesOf, createReplay } from './replay.ts'
import { splitsOf } from './splits.ts'

const recordings = readRecordings()
const generatedIds: string[] = []

afterAll(() => {
  expect(new Set(generatedIds).size).toBe(generatedIds.length)
})

describe.skipIf(recordings.length === 0)('recorded responses of providers', () => {
  const named = recordings.map((recording): [string, Recording] => {
    const { wire, vendor, kind, status, id } = recording
    return [`${wire} ${vendor} ${kind} ${status} ${id}`, recording]
  })

  test.each(named)('%s', async (_, recording) => {
    const expected = expectedReading(recording)
    const n = 'choices' in expected ? expected.choices.length : 1
    const replay = createReplay(recording)
    const bytes = bytesOf(recording)
    const read = {
      collected: () => collectedReading(replay.provider, n),
      relayed: () => relayedReading(replay.provider, n),
    }
    for (const { pieces, client } of splitsOf(bytes)) {
      replay.respond(pieces)
      expectReading(await read[client](), expected)
    }
    await replay.provider.close()
  })
})

/** An error inside a 200 may have any code; an id that the provider did not send is ours. */
function expectReading(actual: Reading, expected: Reading): void {
  if ('error' in expected && expected.error === 'inside a 200') {
    expect(actual).toHaveProperty('error')
  } else expect(withoutOwnIds(actual, expected)).toEqual(expected)
}

function withoutOwnIds(actual: Reading, expected: Reading): Reading {
  if ('error' in actual || 'error' in expected) return actual
  return {
    ...actual,
    choices: actual.choices.map((choice, index) => ({
      ...choice,
      calls: choice.calls.map((call, position) => {
        if (expected.choices[index]?.calls[position]?.id !== null || !call.id) return call
        generatedIds.push(call.id)
        return { ...call, id: null }
      }),
    })),
  }
}
