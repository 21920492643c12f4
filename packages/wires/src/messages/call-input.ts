import { isDeeperThan, maxLevels } from '@farebox/api'

/** No client can send a deeper input back: a body has five levels around it. */
const maxInputLevels = maxLevels - 5

/**
 * The input of a call: its arguments are JSON text on the chat wire, and for a call without arguments
 * empty or `null`. `undefined` if they are anything but a JSON object, or are nested too deeply.
 */
export function callInput(args: string): object | undefined {
  if (args === '') return {}
  try {
    const input: unknown = JSON.parse(args) ?? {}
    if (typeof input !== 'object' || input === null || Array.isArray(input)) return undefined
    return isDeeperThan(input, maxInputLevels) ? undefined : input
  } catch {
    return undefined
  }
}
