import { isObject } from '../convert/is-object.ts'
import { kindOf } from '../vocabulary/require-argument.ts'

/** Fields of requests that have another name here. */
const renamed = {
  functions: "tools: { type: 'function', function: … } each",
  response_format: 'responseFormat',
} as const

/** The tool definitions, or an empty list. Throws for a value that would be counted as nothing. */
export function requireTools(extras: Readonly<Record<string, unknown>>): readonly unknown[] {
  for (const [name, instead] of Object.entries(renamed)) {
    if ((extras[name] ?? null) !== null) throw new TypeError(`${name} must be passed as ${instead}`)
  }
  const tools = extras['tools'] ?? []
  if (!Array.isArray(tools)) {
    throw new TypeError(`tools must be an array of tool definitions, and is ${kindOf(tools)}`)
  }
  for (const [place, tool] of tools.entries()) {
    if (isObject(tool)) continue
    throw new TypeError(`tools[${place}] must be a tool definition, and is ${kindOf(tool)}`)
  }
  return tools
}
