import type { RequestListener, ServerResponse } from 'node:http'
import { type ChainReader, createChainReader } from '@farebox/payments/chain'
import { afterEach, expect, test } from 'vitest'
import { network } from '../support/pay.ts'
import { type RecordedRequest, startRecordingServer } from '../support/recording-server.ts'

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

type Asked = { readonly id: number; readonly method: string; readonly params: readonly unknown[] }

/** A node whose every balance is the number in the account's address. */
async function startNode(respond: (asked: Asked | readonly Asked[]) => unknown = answerAll) {
  const server = await startRecordingServer(((_request, response) => {
    const last = server.requests.at(-1)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(respond(bodyOf(last))))
  }) satisfies RequestListener)
  ends.push(server.close)
  return { server, chain: createChainReader({ rpcUrl: server.url }) }
}

function bodyOf(request: RecordedRequest | undefined): Asked | readonly Asked[] {
  return JSON.parse(request?.body ?? 'null') as Asked | readonly Asked[]
}

function answerAll(asked: Asked | readonly Asked[]): unknown {
  return Array.isArray(asked) ? asked.map(answer).toReversed() : answer(asked as Asked)
}

function answer({ id, params }: Asked): object {
  return { jsonrpc: '2.0', id, result: String(params[0]) }
}

function account(index: number): `0x${string}` {
  return `0x${index.toString(16).padStart(40, '0')}`
}

function balances(chain: ChainReader, count: number): Promise<readonly bigint[]> {
  return Promise.all(Array.from({ length: count }, (_, i) => chain.nativeBalanceOf(account(i))))
}

const upTo = (count: number): readonly bigint[] =>
  Array.from({ length: count }, (_, i) => BigInt(i))

test('calls of one turn share a request, ten at most, and each gets its own answer', async () => {
  const { server, chain } = await startNode()
  expect(await balances(chain, 25)).toEqual(upTo(25))
  expect(server.requests.map((one) => [bodyOf(one)].flat().length)).toEqual([10, 10, 5])
})

test('equal calls of one turn are one call', async () => {
  const { server, chain } = await startNode()
  const same = await Promise.all([1, 2, 3].map(() => chain.nativeBalanceOf(account(7))))
  expect(same).toEqual([7n, 7n, 7n])
  expect(server.requests).toHaveLength(1)
  expect(bodyOf(server.requests[0])).toMatchObject({ method: 'eth_getBalance' })
})

test('a head that is on its way is not asked for again', async () => {
  const { promise: asked, resolve } = Promise.withResolvers<ServerResponse>()
  const server = await startRecordingServer((_request, response) => resolve(response))
  ends.push(server.close)
  const chain = createChainReader({ rpcUrl: server.url })
  const first = chain.head()
  const response = await asked
  const second = chain.head()
  const result = { number: '0x7', hash: `0x${'1'.repeat(64)}`, timestamp: '0x9' }
  response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }))
  expect([await first, await second]).toMatchObject([{ number: 7 }, { number: 7 }])
  expect(server.requests).toHaveLength(1)
})

test('a search of the logs goes alone', async () => {
  const { server, chain } = await startNode((asked) =>
    Array.isArray(asked) ? answerAll(asked) : { id: (asked as Asked).id, result: [] },
  )
  const search = { asset: network.usdc, address: account(1), fromBlock: 1, toBlock: 2 }
  await Promise.all([chain.transfersOf(search), balances(chain, 2)])
  for (const request of server.requests) {
    const asked = [bodyOf(request)].flat()
    if (asked.some(({ method }) => method === 'eth_getLogs')) expect(asked).toHaveLength(1)
  }
})

test('a node that rejects batches gets one call per request from then on', async () => {
  const { server, chain } = await startNode((asked) =>
    Array.isArray(asked)
      ? { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'batches are not supported' } }
      : answer(asked as Asked),
  )
  expect(await balances(chain, 3)).toEqual(upTo(3))
  expect(server.requests).toHaveLength(4)
  expect(await balances(chain, 3)).toEqual(upTo(3))
  expect(server.requests).toHaveLength(7)
})

test('one failed call of a request does not fail the others', async () => {
  const { chain } = await startNode((asked) =>
    [asked]
      .flat()
      .map((one) =>
        String(one.params[0]).endsWith('1')
          ? { jsonrpc: '2.0', id: one.id, error: { code: -32000, message: 'no such account' } }
          : answer(one),
      ),
  )
  const reads = await Promise.allSettled(
    [0, 1, 2].map((index) => chain.nativeBalanceOf(account(index))),
  )
  expect(reads).toMatchObject([
    { value: 0n },
    { reason: { code: 'chain_unavailable', message: expect.stringContaining('no such account') } },
    { value: 2n },
  ])
})

test('of the message of a node, 500 characters are kept', async () => {
  const message = `no such account ${'x'.repeat(100_000)}`
  const { chain } = await startNode((asked) => ({
    jsonrpc: '2.0',
    id: (asked as Asked).id,
    error: { code: -32000, message },
  }))
  const failed = await chain.nativeBalanceOf(account(1)).catch(String)
  expect(failed).toContain(message.slice(0, 500))
  expect(failed.toString().length).toBeLessThan(1_000)
})
