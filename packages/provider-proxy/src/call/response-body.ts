import type { AttemptEvent } from './attempt.ts'

/** Turns the bytes of a response into the events of its attempt. */
export type ResponseBody = {
  read(bytes: Uint8Array): readonly AttemptEvent[]
  /** The response ended, or, with a cause, its connection broke. */
  end(cause?: Error): readonly AttemptEvent[]
}
