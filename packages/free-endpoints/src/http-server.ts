import type { Server } from 'node:http'

/** Listens, and resolves with the address as others on this machine reach it. */
export async function listen(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, resolve)
  })
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new TypeError('the server has no port')
  return `http://${reachableName(host)}:${bound.port}`
}

function reachableName(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

/** Takes no more connections, ends those that are open, and resolves when all are gone. */
export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => {
      resolve()
    })
  })
  server.closeAllConnections()
  await closed
}
