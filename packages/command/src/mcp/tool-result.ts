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
    return { ...textResult(`${error.code}: ${withAdvice(error)}`), isError: true }
  }
}
