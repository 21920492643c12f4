import { invalidOption } from '../invalid-option.ts'

/** The longest time that a timer can take. */
const maxTimerMs = 2_147_483_647

/** An option of seconds, in milliseconds. Throws `invalid_option`. */
export function milliseconds(name: string, seconds: number): number {
  if (typeof seconds === 'number' && seconds >= 0) return Math.min(seconds * 1_000, maxTimerMs)
  throw invalidOption(`${name} must be a number of seconds, 0 or more.`)
}
