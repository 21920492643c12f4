/**
 * The input of a call: its arguments are JSON text on the chat wire, and for a call without arguments
 * empty or `null`. `undefined` if they are anything but a JSON object.
 */
export function callInput(args: string): object | undefined {
  if (args === '') return {}
  try {
    const input: unknown = JSON.parse(args) ?? {}
    return typeof input === 'object' && input !== null && !Array.isArray(input) ? input : undefined
  } catch {
    return undefined
  }
}
