import { isObject } from '../convert/is-object.ts'

/** The caller's texts in tool definitions, and the numbers of members, schemas, references and lines. */
export type OwnTexts = {
  readonly text: string
  readonly members: number
  readonly schemas: number
  readonly references: number
  /** Line breaks in the descriptions of tools. */
  readonly lines: number
}

/** Words of JSON Schema and of a tool definition: as keys and types they are not the caller's. */
const vocabulary: ReadonlySet<string> = new Set([
  ...['type', 'function', 'name', 'description', 'parameters', 'strict', 'properties', 'required'],
  ...['items', 'enum', 'anyOf', 'oneOf', 'allOf', '$ref', '$defs', 'additionalProperties', 'title'],
  ...['string', 'integer', 'number', 'boolean', 'array', 'object', 'null', 'default'],
  ...['STRING', 'INTEGER', 'NUMBER', 'BOOLEAN', 'ARRAY', 'OBJECT', 'propertyOrdering'],
])

/**
 * The texts and numbers of `tools`, each as often as it occurs, without those that were `written`.
 * Empties `written`, a count by text.
 */
export function ownTexts(
  tools: readonly unknown[],
  written: Map<string, number> = new Map(),
): OwnTexts {
  const names = new Set(written.keys())
  const own: string[] = []
  let members = 0
  let schemas = 0
  let references = 0
  const note = (text: string): void => {
    const times = names.size === 0 ? 0 : (written.get(text) ?? 0)
    if (times > 0) written.set(text, times - 1)
    else if (!vocabulary.has(text)) own.push(text)
  }
  const left: unknown[] = [...tools]
  while (left.length > 0) {
    const value = left.pop()
    members += 1
    if (typeof value === 'string' || typeof value === 'number') note(String(value))
    else if (Array.isArray(value)) for (const item of value) left.push(item)
    else if (isObject(value)) {
      for (const [key, member] of Object.entries(value)) {
        // It is not in the JSON.
        if (member === undefined) continue
        note(key)
        if (key === '$ref') references += 1
        schemas += countSchemas(key, member)
        left.push(key === 'required' ? unwritten(member, names) : member)
      }
    }
  }
  const lines = tools.reduce<number>((sum, tool) => sum + linesOf(tool), 0)
  return { text: own.join('\n'), members, schemas, references, lines }
}

function linesOf(tool: unknown): number {
  if (!isObject(tool)) return 0
  const { description } = isObject(tool['function']) ? tool['function'] : tool
  return typeof description === 'string' ? description.split('\n').length - 1 : 0
}

const alternatives: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems'])

/** The schemas that a member of a schema contains: its properties, its items, its alternatives. */
function countSchemas(key: string, member: unknown): number {
  if (key === 'items') return isObject(member) ? 1 : 0
  if (key === 'properties') return isObject(member) ? Object.keys(member).length : 0
  return alternatives.has(key) && Array.isArray(member) ? Math.max(0, member.length - 1) : 0
}

/** Declarations write a required property once and mark it; other entries of `required` are text. */
function unwritten(required: unknown, names: ReadonlySet<string>): unknown {
  if (!Array.isArray(required) || names.size === 0) return required
  return [...new Set(required)].filter((name) => !names.has(String(name)))
}
