import { isObject } from '../convert/is-object.ts'
import { jsonOf } from './json-of.ts'
import { ownTexts } from './own-texts.ts'
import type { RenderedTools } from './rendered-tools.ts'

/** Schemas nested deeper than this are written as JSON. */
const deepest = 16

type Schema = Readonly<Record<string, unknown>>

/** The properties written so far, and how often each text was written. */
type Rendering = { properties: number; readonly written: Map<string, number> }

/**
 * Renders tools as TypeScript declarations. OpenAI documents this form for gpt-oss, and the bills of
 * its other models match it.
 */
export function renderDeclarations(tools: readonly unknown[]): RenderedTools {
  const rendering: Rendering = { properties: 0, written: new Map() }
  const lines = ['namespace functions {', '']
  for (const tool of tools) lines.push(...declare(tool, rendering))
  lines.push('} // namespace functions')
  const { properties, written } = rendering
  const { text, ...counts } = ownTexts(tools, written)
  const rest = [text, ...commentsOf(tools)].filter((part) => part !== '').join('\n')
  return { text: lines.join('\n'), rest, properties, ...counts }
}

/**
 * The comments of defaults and examples in OpenAI's own renderer, which no recorded bill needs, for the
 * upper bound. https://github.com/openai/harmony/blob/main/src/encoding.rs
 */
function commentsOf(tools: readonly unknown[]): readonly string[] {
  const comments: string[] = []
  const left: unknown[] = [...tools]
  while (left.length > 0) {
    const value = left.pop()
    if (Array.isArray(value)) for (const item of value) left.push(item)
    else if (isObject(value)) {
      for (const [key, member] of Object.entries(value)) {
        if (key === 'default') comments.push(`// default: ${jsonOf(member)}`)
        else if (key !== 'examples' || !Array.isArray(member)) left.push(member)
        else for (const example of member) comments.push(`// - ${jsonOf(example)}`)
      }
    }
  }
  return comments
}

function declare(tool: unknown, rendering: Rendering): readonly string[] {
  const declared = isObject(tool) && isObject(tool['function']) ? tool['function'] : tool
  if (!isObject(declared)) return []
  const { parameters } = declared
  const lines = [...commentOf(declared, rendering), ...definitionsOf(parameters, rendering)]
  const name = write(declared['name'], rendering)
  const hasArguments = isObject(parameters) && hasProperties(parameters)
  const argument = hasArguments ? `(_: ${typeOf(parameters, rendering, 0)})` : '()'
  return [...lines, `type ${name} = ${argument} => any;`, '']
}

function definitionsOf(schema: unknown, rendering: Rendering): readonly string[] {
  if (!isObject(schema) || !isObject(schema['$defs'])) return []
  return Object.entries(schema['$defs']).flatMap(([name, definition]) => [
    ...commentOf(definition, rendering),
    `type ${write(name, rendering)} = ${typeOf(definition, rendering, 0)};`,
  ])
}

function typeOf(schema: unknown, rendering: Rendering, depth: number): string {
  if (!isObject(schema)) return 'any'
  if (depth > deepest) return jsonOf(schema)
  const nested = (part: unknown): string => typeOf(part, rendering, depth + 1)
  const { enum: values, $ref: reference, type, items, anyOf, oneOf } = schema
  if (Array.isArray(values)) return values.map((value) => writeJson(value, rendering)).join(' | ')
  if (typeof reference === 'string') return reference.slice(reference.lastIndexOf('/') + 1)
  const choices = [anyOf, oneOf].filter(Array.isArray).flat()
  if (choices.length > 0) return choices.map(nested).join(' | ')
  if (hasProperties(schema)) return membersOf(schema, rendering, depth)
  if (items !== undefined) return `${nested(items)}[]`
  if (Array.isArray(type)) return type.map((name) => write(name, rendering)).join(' | ')
  return type === 'integer' ? 'number' : write(type ?? 'any', rendering)
}

function membersOf(schema: Schema, rendering: Rendering, depth: number): string {
  const properties = Object.entries(schema['properties'] ?? {})
  const required = new Set<unknown>(Array.isArray(schema['required']) ? schema['required'] : [])
  rendering.properties += properties.length
  const lines = properties.flatMap(([name, property]) => [
    ...commentOf(property, rendering),
    `${write(name, rendering)}${required.has(name) ? '' : '?'}: ${typeOf(property, rendering, depth + 1)},`,
  ])
  return ['{', ...lines, '}'].join('\n')
}

function hasProperties(schema: Schema): boolean {
  return isObject(schema['properties']) && Object.keys(schema['properties']).length > 0
}

function commentOf(schema: unknown, rendering: Rendering): readonly string[] {
  const text = isObject(schema) ? schema['description'] : undefined
  return typeof text === 'string' && text !== '' ? [`// ${write(text, rendering)}`] : []
}

function write(value: unknown, { written }: Rendering): string {
  const text = typeof value === 'string' ? value : jsonOf(value)
  written.set(text, (written.get(text) ?? 0) + 1)
  return text
}

function writeJson(value: unknown, rendering: Rendering): string {
  write(value, rendering)
  return jsonOf(value)
}
