import type { FareboxClient } from '@farebox/client'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { addFreeTools } from './free-tools.ts'
import { addPaidTools } from './paid-tools.ts'

export type McpOptions = {
  /** Pays, within its caps. */
  readonly client: FareboxClient
  readonly version: string
  /** Called with each payment as soon as its call has ended. */
  readonly paid: (paymentId: string) => Promise<void>
  /** What the result of a call should say besides its cost; each note is taken once. */
  readonly takeNotes: () => readonly string[]
}

/** The tools of a Farebox gateway for an agent: chat, image, estimate, models, payments. */
export function fareboxMcpServer(options: McpOptions): McpServer {
  const server = new McpServer({ name: 'farebox', version: options.version })
  addPaidTools(server, options)
  addFreeTools(server, options)
  return server
}
