import { isObject } from '../convert/is-object.ts'
import { kindOf } from '../vocabulary/require-argument.ts'

/** The tool definitions, or an empty list. Throws for a value that would be counted as nothing. */
export function requireTools(extras: Readonly<Record<string, unknown>>): readonly unknown[] {
  const { functions } = extras
  if (functions !== undefined && functions !== null) {
    throw new TypeError("functions must be passed as tools: { type: 'function', function: … } each")
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
