import type { Connection } from '../wire/connection.ts'
import type { Instructions } from '../wire/instructions.ts'
import type { Pace } from '../wire/pace.ts'
import type { LogEntry } from '../wire/request-log.ts'
import type { WireRecord } from '../wire/wire-reading.ts'
import type { ScriptOptions } from './chat-script.ts'

/** One chat request with everything that determines its completion. */
export type ChatExchange = {
  readonly connection: Connection
  readonly body: WireRecord
  readonly instructions: Instructions
  readonly entry: LogEntry
  readonly pace: Pace
  readonly script: ScriptOptions
  readonly now: number
}
