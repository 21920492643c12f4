import { createServer, connect as open, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * `down`: connections are refused. `hanging`: they stay open, and nothing passes. `slow`: every answer
 * comes a second late. `flapping`: down and up by turns, 400 ms each. `wrong`: something else answers at
 * this address.
 */
export type WireFault = 'down' | 'hanging' | 'slow' | 'flapping' | 'wrong'

export type FaultProxy = {
  readonly port: number
  /** Without a fault, everything passes. Open connections are closed, unless they hang. */
  setFault(fault?: WireFault): Promise<void>
  stop(): Promise<void>
}

const lateMs = 1_000
const flapMs = 400

/** A TCP proxy before a server, which breaks connections. `wrongPort` answers while it is `wrong`. */
export async function startFaultProxy(targetPort: number, wrongPort: number): Promise<FaultProxy> {
  const sockets = new Set<Socket>()
  let fault: WireFault | undefined
  let flapping: NodeJS.Timeout | undefined
  const server = createServer((client) => {
    const upstream = open(fault === 'wrong' ? wrongPort : targetPort, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
    }
    client.once('close', () => {
      sockets.delete(client)
      upstream.destroy()
    })
    upstream.once('close', () => {
      sockets.delete(upstream)
      if (fault !== 'hanging') client.destroy()
    })
    const isHanging = (): boolean => fault === 'hanging'
    void relay(client, upstream, { isHanging, delay: () => 0 })
    void relay(upstream, client, { isHanging, delay: () => (fault === 'slow' ? lateMs : 0) })
  })
  const port = await listenOn(server, 0)

  async function close(): Promise<void> {
    for (const socket of sockets) socket.destroy()
    if (server.listening) await new Promise((resolve) => server.close(resolve))
  }
  async function turn(): Promise<void> {
    if (server.listening) await close()
    else await listenOn(server, port)
  }

  return {
    port,
    setFault: async (next) => {
      clearInterval(flapping)
      fault = next
      if (next === 'hanging') return
      await close()
      if (next !== 'down') await listenOn(server, port)
      if (next === 'flapping') flapping = setInterval(() => void turn(), flapMs)
    },
    stop: async () => {
      clearInterval(flapping)
      await close()
    },
  }
}

type Hindrances = { readonly isHanging: () => boolean; readonly delay: () => number }

async function relay(from: Socket, to: Socket, { isHanging, delay }: Hindrances): Promise<void> {
  try {
    for await (const bytes of from) {
      if (isHanging()) continue
      const wait = delay()
      if (wait > 0) await sleep(wait)
      to.write(bytes as Buffer)
    }
  } catch {
    // The connection broke, as it may here.
  }
  if (!isHanging()) to.end()
}

async function listenOn(server: Server, port: number): Promise<number> {
  if (!server.listening) {
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  }
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}
