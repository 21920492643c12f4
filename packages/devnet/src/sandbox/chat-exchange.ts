import type { ScriptOptions } from './chat-script.ts'
import type { Connection } from './connection.ts'
import type { Instructions } from './instructions.ts'
import type { Pace } from './pace.ts'
import type { LogEntry } from './request-log.ts'
import type { WireRecord } from './wire-reading.ts'

/** One chat request with all that decides its answer. */
export type ChatExchange = {
  readonly connection: Connection
  readonly body: WireRecord
  readonly instructions: Instructions
  readonly entry: LogEntry
  readonly pace: Pace
  readonly script: ScriptOptions
  readonly now: number
}
