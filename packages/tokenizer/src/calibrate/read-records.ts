import { isObject } from '../convert/is-object.ts'
import type { CounterName } from '../counter/counter-name.ts'
import type { Tokenizer } from '../vocabulary/tokenizer.ts'
import { calibrationRecord, type RecordedUsage } from './calibration-record.ts'
import type { CalibrationRecord } from './fit-factors.ts'

/**
 * Reads recorded requests, one a line, as JSON.
 *
 * @throws Error that names the first line that is not such a request, and what is wrong with it.
 */
export function readRecords(
  text: string,
  counter: CounterName,
  tokenizer: Pick<Tokenizer, 'countTokens'>,
): readonly CalibrationRecord[] {
  const records = text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return []
    try {
      return [calibrationRecord(parsed(line), counter, tokenizer)]
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw new Error(`line ${index + 1}: ${reason}`, { cause })
    }
  })
  if (records.length === 0) throw new Error('there are no records to fit to')
  return records
}

/** Trimming also leaves out a byte order mark. */
function parsed(line: string): RecordedUsage {
  const value: unknown = JSON.parse(line.trim())
  if (!isObject(value)) throw new TypeError('a record must be an object with messages')
  return value as RecordedUsage
}
