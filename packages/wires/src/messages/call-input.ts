import { isDeeperThan } from '@farebox/api'

/** No client can send a deeper call back, and `JSON.stringify` fails on some thousand levels. */
const maxLevels = 200

/**
 * The input of a call: its arguments are JSON text on the chat wire, and for a call without arguments
 * empty or `null`. `undefined` if they are anything but a JSON object, or are nested too deeply.
 */
export function callInput(args: string): object | undefined {
  if (args === '') return {}
  try {
    const input: unknown = JSON.parse(args) ?? {}
    if (typeof input !== 'object' || input === null || Array.isArray(input)) return undefined
    return isDeeperThan(input, maxLevels) ? undefined : input
  } catch {
    return undefined
  }
}
