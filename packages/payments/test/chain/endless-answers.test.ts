import { createServer } from 'node:http'
import { createChainReader } from '@farebox/payments/chain'
import { expect, test } from 'vitest'

const megabyte = 1024 * 1024

test('an answer of a node that does not end is an error after some megabytes', async () => {
  let sent = 0
  const node = createServer((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'application/json' })
    const more = (): void => {
      while (!response.destroyed) {
        sent += megabyte
        if (!response.write(' '.repeat(megabyte))) break
      }
    }
    response.on('drain', more)
    more()
  })
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve))
  const address = node.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const chain = createChainReader({ rpcUrl: `http://127.0.0.1:${address.port}`, timeoutMs: 20_000 })
  await expect(chain.head()).rejects.toMatchObject({ name: 'ChainError' })
  // Sockets hold some megabytes more.
  expect(sent).toBeLessThan(64 * megabyte)
  node.closeAllConnections()
  await new Promise((resolve) => node.close(resolve))
})
