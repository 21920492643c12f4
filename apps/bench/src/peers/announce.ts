import type { Server } from 'node:http'

/** Logs a server's URL in the format of the gateway's log line. */
export function announce(server: Server): void {
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('The server has no port')
  console.log(JSON.stringify({ event: 'listening', url: `http://127.0.0.1:${address.port}` }))
}
