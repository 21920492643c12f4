import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { LocalAccess } from '../local/local-refusal.ts'
import { type LocalServer, startLocalServer } from '../local/start-local-server.ts'
import { fareboxMcpServer, type McpOptions } from './farebox-mcp-server.ts'

export type McpHttpOptions = McpOptions & LocalAccess & { readonly port: number }

/** Serves the tools at `/mcp` on this machine, over streamable HTTP without sessions. */
export async function startMcpHttp(options: McpHttpOptions): Promise<LocalServer> {
  return await startLocalServer({
    ...options,
    async serve(request, response) {
      if (request.url !== '/mcp' || request.method !== 'POST') {
        response.writeHead(request.url === '/mcp' ? 405 : 404).end()
        return
      }
      // One server for each request: without sessions, it is not needed afterwards.
      const server = fareboxMcpServer(options)
      const transport = new StreamableHTTPServerTransport()
      response.once('close', () => void server.close())
      await server.connect(transport)
      await transport.handleRequest(request, response)
    },
    refuse: (response, { status, message }) => {
      const body = { jsonrpc: '2.0', id: null, error: { code: -32_000, message } }
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    },
  })
}
