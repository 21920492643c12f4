import type { CountTokensRequest, ToolDefinition, UserContent } from './messages-request.ts'

/** A tool that the model may call, and the caller's name of its definition. */
export type OfferedTool = { readonly tool: ToolDefinition; readonly origin: string }

/**
 * The tools at the end of the conversation: those that are not deferred, and those that a search has
 * found or a system message has added since, without those that one has removed.
 */
export function offeredTools(request: CountTokensRequest): readonly OfferedTool[] {
  const known = new Map(
    (request.tools ?? []).map((tool, index) => [tool.name, { tool, origin: `tools[${index}]` }]),
  )
  const offered = new Map([...known].filter(([, { tool }]) => tool.defer_loading !== true))
  const offer = (name: string): void => {
    const found = known.get(name)
    if (found !== undefined) offered.set(name, found)
  }
  for (const [index, message] of request.messages.entries()) {
    if (message.role === 'user') for (const name of foundTools(message.content)) offer(name)
    if (message.role !== 'system' || typeof message.content === 'string') continue
    for (const [at, block] of message.content.entries()) {
      if (block.type === 'tool_removal') offered.delete(block.tool.name)
      if (block.type !== 'tool_addition') continue
      const { tool: added } = block
      if (added.type === 'tool_reference') {
        offer(added.name)
        continue
      }
      const origin = `messages[${index}].content[${at}].tool.definition`
      known.set(added.definition.name, { tool: added.definition, origin })
      offer(added.definition.name)
    }
  }
  return [...offered.values()]
}

function foundTools(content: UserContent): readonly string[] {
  if (typeof content === 'string') return []
  return content.flatMap((block) =>
    block.type === 'tool_result' && Array.isArray(block.content)
      ? block.content.flatMap((part) => (part.type === 'tool_reference' ? [part.tool_name] : []))
      : [],
  )
}
