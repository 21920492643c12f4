import { randomUUID } from 'node:crypto'
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import {
  CancelledNotificationSchema,
  isJSONRPCRequest,
  type JSONRPCMessage,
} from '@modelcontextprotocol/sdk/types.js'
import type { LocalAccess } from '../local/local-refusal.ts'
import { type LocalServer, startLocalServer } from '../local/start-local-server.ts'
import { fareboxMcpServer, type McpOptions } from './farebox-mcp-server.ts'

export type McpHttpOptions = McpOptions & LocalAccess & { readonly port: number }

/**
 * Serves the tools at `/mcp` on this machine, over streamable HTTP. A session keeps nothing but the
 * calls under way, so that its client can cancel them; clients need no new one after a restart.
 */
export async function startMcpHttp(options: McpHttpOptions): Promise<LocalServer> {
  const underWay: CallsUnderWay = new Map()
  return await startLocalServer({
    ...options,
    async serve(request, response) {
      if (request.url !== '/mcp' || request.method !== 'POST') {
        response.writeHead(request.url === '/mcp' ? 405 : 404).end()
        return
      }
      const session = String(request.headers['mcp-session-id'] ?? randomUUID())
      response.setHeader('mcp-session-id', session)
      // One server for each request: no call sees another.
      const server = fareboxMcpServer(options)
      const transport = new StreamableHTTPServerTransport()
      response.once('close', () => {
        for (const [call, held] of underWay) if (held === server) underWay.delete(call)
        void server.close()
      })
      transport.onmessage = (message) => followCall(message, { server, session, underWay })
      await server.connect(transport)
      await transport.handleRequest(request, response)
    },
    refuse: (response, { status, message }) => {
      const body = { jsonrpc: '2.0', id: null, error: { code: -32_000, message } }
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    },
  })
}

/** The servers of calls, by session and the id of the call. */
type CallsUnderWay = Map<string, McpServer>

type Followed = {
  readonly server: McpServer
  readonly session: string
  readonly underWay: CallsUnderWay
}

/** A client cancels a call in a separate request, which another server reads. */
function followCall(message: JSONRPCMessage, { server, session, underWay }: Followed): void {
  const keyOf = (id: unknown): string => JSON.stringify([session, id])
  if (isJSONRPCRequest(message)) underWay.set(keyOf(message.id), server)
  const canceled = CancelledNotificationSchema.safeParse(message).data
  if (canceled !== undefined) void underWay.get(keyOf(canceled.params.requestId))?.close()
}
