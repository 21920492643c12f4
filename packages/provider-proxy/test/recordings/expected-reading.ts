import { readAnthropic } from './expected-anthropic.ts'
import { readGemini } from './expected-gemini.ts'
import { readOpenAi } from './expected-openai.ts'
import { type Json, jsonEvents, listAt } from './json-events.ts'
import type { Reading } from './reading.ts'
import type { Recording } from './recording.ts'

/**
 * What a recording means, by a separate reader: it sees the complete text, knows nothing of
 * splits, and shares no code with the package.
 */
export function expectedReading(recording: Recording): Reading {
  if (recording.status !== 200) return { error: errorCode(recording) }
  const events = jsonEvents(recording)
  const failed = events.findIndex((event) => (event['error'] ?? null) !== null)
  if (failed >= 0 && !isFinished(events.slice(0, failed))) return { error: 'inside a 200' }
  switch (recording.wire) {
    case 'openai':
      return readOpenAi(events, recording.vendor)
    case 'anthropic':
      return readAnthropic(events)
    case 'gemini':
      return readGemini(events)
  }
}

/** No recording of OpenAI's wire with an error has several choices. */
function isFinished(events: readonly Json[]): boolean {
  return events.some((event) => listAt(event, 'choices').some((choice) => choice['finish_reason']))
}

function errorCode({ status, body }: Recording): string {
  if (/"code": ?"(tool_use|json_validate)_failed"/.test(body)) return 'upstream_unusable'
  if (body.includes('"invalid_image_url"')) return 'upstream_image_unreachable'
  const isWrongKey = status === 400 && /api key/i.test(body)
  return status === 400 && !isWrongKey ? 'upstream_rejected' : 'upstream_unavailable'
}
