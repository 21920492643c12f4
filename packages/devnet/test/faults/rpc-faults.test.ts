import { createPublicClient, http, type PublicClient, type Transport } from 'viem'
import { baseSepolia } from 'viem/chains'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type RpcFault, type RpcFaults, startRpcFaults } from '../../src/faults.ts'
import { type Devnet, startDevnet, usdcAddress } from '../../src/index.ts'
import { connect, signedTransfer } from '../chain/authorization.ts'

let devnet: Devnet
let faults: RpcFaults

beforeAll(async () => {
  devnet = await startDevnet({ payers: 1 })
  faults = await startRpcFaults({ target: devnet.rpcUrl })
})
afterEach(() => {
  faults.setRule()
})
afterAll(async () => {
  await faults.stop()
  await devnet.stop()
})

function client(timeout = 10_000): PublicClient<Transport, typeof baseSepolia> {
  const transport = http(faults.url, { retryCount: 0, timeout })
  return createPublicClient({ chain: baseSepolia, transport, cacheTime: 0 })
}

function on(method: string, fault: RpcFault): void {
  faults.setRule((call) => (call.method === method ? fault : undefined))
}

test('without a rule it passes calls to the node', async () => {
  expect(await client().getChainId()).toBe(84532)
  expect(faults.calls.at(-1)).toMatchObject({ method: 'eth_chainId' })
})

test.each<[RpcFault, RegExp]>([
  [{ kind: 'refuse' }, /fetch failed/],
  [{ kind: 'lose-answer' }, /fetch failed/],
  [{ kind: 'status', status: 503 }, /upstream error/],
  [{ kind: 'garbage' }, /Unexpected token|not valid JSON/],
  [{ kind: 'error', code: -32000, message: 'nonce too low' }, /nonce too low/],
])('%o reaches the caller', async (fault, message) => {
  on('eth_blockNumber', fault)
  await expect(client().getBlockNumber()).rejects.toThrow(message)
  expect(await client().getChainId()).toBe(84532)
})

test.each<[RpcFault]>([[{ kind: 'hang' }], [{ kind: 'hang-after' }]])(
  '%o keeps the caller waiting',
  async (fault) => {
    on('eth_blockNumber', fault)
    await expect(client(50).getBlockNumber()).rejects.toThrow(/took too long/)
  },
)

test('returns false results and delays', async () => {
  on('eth_blockNumber', { kind: 'result', result: '0x7' })
  expect(await client().getBlockNumber()).toBe(7n)
  on('eth_blockNumber', { kind: 'delay', ms: 5 })
  expect(await client().getBlockNumber()).toBe(
    BigInt(await devnet.rpc<string>('eth_blockNumber', [])),
  )
})

test('a rule is given the count of its method', async () => {
  faults.setRule(({ method, nth }) =>
    method === 'eth_gasPrice' && nth === 2 ? { kind: 'refuse' } : undefined,
  )
  const gasPrice = async (): Promise<bigint> => await client().getGasPrice()
  const results = [
    await Promise.allSettled([gasPrice()]),
    await Promise.allSettled([gasPrice()]),
    await Promise.allSettled([gasPrice()]),
  ].flat()
  expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})

test('batches pass or fail as a whole', async () => {
  const batch = ['eth_chainId', 'eth_gasPrice'].map((method, id) => ({
    jsonrpc: '2.0',
    id,
    method,
    params: [],
  }))
  const send = async (): Promise<unknown> => {
    const response = await fetch(faults.url, { method: 'POST', body: JSON.stringify(batch) })
    return await response.json()
  }
  expect(await send()).toMatchObject([{ id: 0, result: '0x14a34' }, { id: 1 }])
  on('eth_gasPrice', { kind: 'error', code: 1, message: 'no' })
  const error = { code: 1, message: 'no' }
  expect(await send()).toMatchObject([
    { id: 0, error },
    { id: 1, error },
  ])
})

test('a response lost after the broadcast leaves the payment on chain', async () => {
  const data = await signedTransfer(devnet, 5n)
  on('eth_sendRawTransaction', { kind: 'lose-answer' })
  const { relayer } = connect({ ...devnet, rpcUrl: faults.url })
  await expect(relayer.sendTransaction({ to: usdcAddress, data })).rejects.toThrow(/fetch failed/)
  await expect.poll(async () => await devnet.usdcBalance(devnet.treasury.address)).toBe(5n)
})

test('an unreachable node breaks the connection', async () => {
  const orphan = await startRpcFaults({ target: 'http://127.0.0.1:1' })
  await expect(fetch(orphan.url, { method: 'POST', body: '{"method":"x"}' })).rejects.toThrow()
  await expect(fetch(orphan.url, { method: 'POST', body: 'not json' })).rejects.toThrow()
  await orphan.stop()
})
