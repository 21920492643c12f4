import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { isTransactionPool } from '../../../src/doctor/ledger/is-transaction-pool.ts'

/** A message of PostgreSQL's protocol. */
function message(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeInt32BE(body.length + 4)
  return Buffer.concat([Buffer.from(type), length, body])
}

const ready = message('Z', Buffer.from('I'))
const noPassword = message('R', Buffer.alloc(4))
/** One column of the type int4, as text. */
const columns = message(
  'T',
  Buffer.from('\0\x01pid\0\0\0\0\0\0\0\0\0\0\x17\0\x04\xff\xff\xff\xff\0\0', 'latin1'),
)
const row = (pid: number) => message('D', Buffer.from(`\0\x01\0\0\0\x01${pid}`))
const done = message('C', Buffer.from('SELECT 1\0'))

/** A server that tells each session the number of its process; later ones wait for a connection. */
async function answering(processes: readonly number[]) {
  const left = [...processes]
  const server = createServer((socket) => {
    const pid = left.shift()
    socket.on('error', () => undefined)
    socket.once('data', () => {
      socket.write(Buffer.concat([noPassword, ready]))
      socket.on('data', (bytes) => {
        if (bytes[0] === 0x51 && pid !== undefined)
          socket.write(Buffer.concat([columns, row(pid), done, ready]))
      })
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { server, url: `postgres://user@127.0.0.1:${port}/name` }
}

test.each([
  [[1, 2], false],
  [[1, 1], true],
])(
  'two sessions in the processes %j are a pool in transaction mode: %j',
  async (processes, expected) => {
    const { server, url } = await answering(processes)
    expect(await isTransactionPool(url)).toBe(expected)
    server.close()
  },
)

test('a pool without a connection left is not waited for', async () => {
  const { server, url } = await answering([1])
  await expect(isTransactionPool(url)).rejects.toThrow('timeout')
  server.close()
})
