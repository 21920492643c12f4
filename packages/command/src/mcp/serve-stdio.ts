import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import {
  CancelledNotificationSchema,
  isJSONRPCRequest,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js'
import { fareboxMcpServer, type McpOptions } from './farebox-mcp-server.ts'

/** Serves the tools until the input has ended and each call in it is answered, or until `signal`. */
export async function serveStdio(tools: McpOptions, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const server = fareboxMcpServer(tools)
  const closed = new Promise<void>((resolve) => {
    server.server.onclose = resolve
  })
  const close = (): void => void server.close()
  const transport = new StdioServerTransport()
  signal.addEventListener('abort', close)
  closeWhenAnswered(transport, close)
  await server.connect(transport)
  await closed
}

/** An agent may close the input and still read the answers that it paid for. */
function closeWhenAnswered(transport: StdioServerTransport, close: () => void): void {
  const open = new Set<RequestId>()
  let hasEnded = false
  const settle = (id?: RequestId): void => {
    if (id !== undefined) open.delete(id)
    if (hasEnded && open.size === 0) close()
  }
  transport.onmessage = (message) => {
    if (isJSONRPCRequest(message)) open.add(message.id)
    // It gets no answer.
    const canceled = CancelledNotificationSchema.safeParse(message).data
    if (canceled !== undefined) settle(canceled.params.requestId)
  }
  const send = transport.send.bind(transport)
  transport.send = async (message) => {
    await send(message)
    if (!('method' in message)) settle(message.id)
  }
  process.stdin.once('end', () => {
    hasEnded = true
    settle()
  })
}
