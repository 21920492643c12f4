import { destination, type Logger, pino } from 'pino'

export type { Logger }

/** JSON lines on standard output. Payment headers and keys are never passed to it. */
export function createLogger(level: string): Logger {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    destination({ dest: 1, sync: true }),
  )
}
