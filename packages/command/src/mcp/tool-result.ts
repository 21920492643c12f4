import { FareboxError } from '@farebox/client'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { withAdvice } from '../show/with-advice.ts'

/** A result of texts. */
export function textResult(...texts: readonly string[]): CallToolResult {
  return { content: texts.map((text) => ({ type: 'text', text })) }
}

/** Runs a tool. A refusal of the client or the gateway becomes a result that the model reads. */
export async function toolResult(run: () => Promise<CallToolResult>): Promise<CallToolResult> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof FareboxError)) throw error
    return { ...textResult(`${error.code}: ${namingTools(withAdvice(error))}`), isError: true }
  }
}

/** A model has tools, and may have no way to send a request. */
function namingTools(message: string): string {
  return message
    .replace('GET /v1/models lists', 'The tool models lists')
    .replace('GET /v1/images/models lists', 'The tool models, with kind "image", lists')
}
