import { UpstreamError } from '../provider/upstream-error.ts'
import { errorInside } from './classify-failure.ts'
import { isRecord, type JsonRecord, parseJson } from './json-reading.ts'

/**
 * The JSON object of one event. An error in it takes precedence over its other fields.
 *
 * @throws {UpstreamError} when the event is an error, or is not a JSON object.
 */
export function readJsonEvent(data: string, provider: string): JsonRecord {
  const event = parseJson(data)
  if (!isRecord(event)) {
    throw new UpstreamError(`${provider} sent an event that is not a JSON object`, {
      code: 'upstream_truncated',
      provider,
    })
  }
  const { error } = event
  if (error !== undefined && error !== null) throw errorInside(provider, error)
  return event
}

/** An event after the end of a response: an error there takes nothing from it. */
export function readLateEvent(data: string): JsonRecord {
  const event = parseJson(data)
  return isRecord(event) ? event : {}
}
