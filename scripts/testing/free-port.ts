import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * Below the ports that Linux, macOS and Windows give to connections and to servers on port 0, so
 * that none of these takes the port before its user listens.
 */
const range = [15_000, 32_000] as const

/** A TCP port on loopback that was just free. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = randomInt(...range)
    if (await isFree(port)) return port
  }
  throw new Error(`No port from ${range.join(' to ')} is free`)
}

async function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false)
      else reject(error)
    })
    server.listen(port, '127.0.0.1', () => {
      server.close(() => {
        resolve(true)
      })
    })
  })
}
