import type { Timings } from '../provider/chat-provider.ts'
import { isRecord, type JsonRecord, recordAt } from '../wire/json-reading.ts'
import type { ProviderProfile } from './provider-profile.ts'

/** A provider's own measurements, which it sends in seconds. */
export function readTimings(
  event: JsonRecord,
  usage: unknown,
  source: ProviderProfile['timings'],
): Timings | undefined {
  switch (source) {
    case 'own':
      return undefined
    case 'groq':
      return isRecord(usage) ? inMilliseconds(usage) : undefined
    case 'cerebras': {
      const info = recordAt(event, 'time_info')
      return info && inMilliseconds(info)
    }
  }
}

function inMilliseconds(record: JsonRecord): Timings | undefined {
  const queue = secondsAt(record, 'queue_time')
  const prompt = secondsAt(record, 'prompt_time')
  const completion = secondsAt(record, 'completion_time')
  const total = secondsAt(record, 'total_time')
  if (queue === undefined && prompt === undefined && completion === undefined) return undefined
  return {
    ...(queue !== undefined && { queue }),
    ...(prompt !== undefined && { prompt }),
    ...(completion !== undefined && { completion }),
    ...(total !== undefined && { total }),
  }
}

function secondsAt(record: JsonRecord, key: string): number | undefined {
  const value = record[key]
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) return undefined
  // Providers state microseconds at most; further digits are conversion noise.
  return Math.round(value * 1_000_000) / 1000
}
