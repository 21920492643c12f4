import { isObject } from '../convert/is-object.ts'
import type { ToolFraming } from '../counter/framing.ts'
import { jsonOf } from './json-of.ts'
import { ownTexts } from './own-texts.ts'
import { renderDeclarations } from './render-declarations.ts'
import type { RenderedTools } from './rendered-tools.ts'
import { valuesOfTools } from './values-of-tools.ts'

/** Renders tools as a family writes them into its prompt. */
export function renderTools(
  tools: readonly unknown[],
  writtenAs: ToolFraming['writtenAs'],
): RenderedTools {
  if (writtenAs === 'declarations') return renderDeclarations(tools)
  const { text: rest, ...counts } = ownTexts(tools)
  const properties = countProperties(tools)
  if (writtenAs === 'json') return { text: jsonOf(tools), rest, properties, ...counts }
  // A word with the space before it is one token, so the spaces cost nothing.
  return { text: valuesOfTools(tools).join(' '), rest: '', properties, ...counts }
}

/** Iterative, because a schema may be nested deeply. */
function countProperties(tools: readonly unknown[]): number {
  const left: unknown[] = [...tools]
  let properties = 0
  while (left.length > 0) {
    const value = left.pop()
    if (Array.isArray(value)) for (const item of value) left.push(item)
    if (!isObject(value)) continue
    if (isObject(value['properties'])) properties += Object.keys(value['properties']).length
    for (const member of Object.values(value)) left.push(member)
  }
  return properties
}
