import type { Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createRpcClient } from '../../src/rpc/rpc-client.ts'
import { startRecordingServer } from '../support/recording-server.ts'

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

type Closing = (socket: Socket) => void
const closings = {
  ends: (socket) => socket.destroy(),
  resets: (socket) => socket.resetAndDestroy(),
} satisfies Record<string, Closing>

/** A node that closes the connection of some of its requests, and answers the others. */
async function startNode(closed: readonly number[], close: Closing) {
  const server = await startRecordingServer((request, response) => {
    if (closed.includes(server.requests.length)) return close(request.socket)
    response.setHeader('content-type', 'application/json')
    response.end('{"jsonrpc":"2.0","id":1,"result":"0x7"}')
  })
  ends.push(server.close)
  return { client: createRpcClient({ rpcUrl: server.url }), requests: server.requests }
}

test.each(Object.keys(closings) as (keyof typeof closings)[])(
  'a read is asked again when the node %s its connection instead of answering',
  async (how) => {
    const { client, requests } = await startNode([2], closings[how])
    expect(await client.getBlockNumber()).toBe(7n)
    expect(await client.getBlockNumber()).toBe(7n)
    expect(requests).toHaveLength(3)
  },
)

test('a failed read is sent at most twice', async () => {
  const { client, requests } = await startNode([1, 2], closings.ends)
  await expect(client.getBlockNumber()).rejects.toThrow('HTTP request failed')
  expect(requests).toHaveLength(2)
})

test('a transaction is not sent again', async () => {
  const { client, requests } = await startNode([1], closings.ends)
  await expect(client.sendRawTransaction({ serializedTransaction: '0x02' })).rejects.toThrow(
    'HTTP request failed',
  )
  expect(requests).toHaveLength(1)
})
