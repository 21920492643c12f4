import { destination, type Logger, pino } from 'pino'
import type { FormatLine } from './line-format.ts'

export type { Logger }

/** The bytes after which lines are written even within a turn of the event loop. */
const bufferBytes = 8 * 1024

/**
 * JSON lines on standard output, or what `format` makes of them, one write for all lines of a turn of
 * the event loop. Payment headers and keys are never passed to it.
 */
export function createLogger(level: string, format?: FormatLine): Logger {
  const output = destination({ dest: 1, sync: true, minLength: bufferBytes })
  let isScheduled = false
  function flush(): void {
    isScheduled = false
    output.flushSync()
  }
  const lines = {
    write: (line: string) => {
      output.write(format === undefined ? line : format(line))
      if (isScheduled) return
      isScheduled = true
      setImmediate(flush)
    },
    /** Before the process ends. */
    flush,
  }
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, lines)
}
