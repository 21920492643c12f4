import { once } from 'node:events'
import { connect } from 'node:net'

/**
 * Opens connections that declare a body of 64 MB and do not send it. Resolves once the server has
 * read the headers of each, as its `100 Continue` shows; the function that is returned closes them.
 */
export async function declareBodies(url: string, count: number): Promise<() => void> {
  const { hostname, port, pathname } = new URL(url)
  const head =
    `POST ${pathname} HTTP/1.1\r\nHost: x\r\n` +
    'Content-Length: 67108864\r\nExpect: 100-continue\r\n\r\n'
  const sockets = Array.from({ length: count }, () => connect(Number(port), hostname))
  await Promise.all(
    sockets.map(async (socket) => {
      socket.write(head)
      const [answer] = await once(socket, 'data')
      if (!String(answer).startsWith('HTTP/1.1 100')) throw new Error(String(answer))
    }),
  )
  return () => {
    for (const socket of sockets) socket.destroy()
  }
}
