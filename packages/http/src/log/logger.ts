import { type Logger, pino } from 'pino'
import type { FormatLine } from './line-format.ts'
import { createLineWriter } from './line-writer.ts'

export type { Logger }

const standardOutput = 1

/**
 * JSON lines on standard output, or what `format` makes of them; call `flush` before the process
 * ends. Payment headers and keys are never passed to it.
 */
export function createLogger(level: string, format?: FormatLine): Logger {
  const { write, flush } = createLineWriter(standardOutput)
  const lines = {
    write: format === undefined ? write : (line: string) => write(format(line)),
    flush,
  }
  const timestamp = pino.stdTimeFunctions.isoTime
  return pino({ level, base: null, timestamp, serializers: { err: shownError } }, lines)
}

/** The serializer of pino adds the messages of the causes, which the stack already has. */
function shownError(error: unknown): unknown {
  return error instanceof Error
    ? { ...pino.stdSerializers.err(error), message: error.message }
    : error
}
