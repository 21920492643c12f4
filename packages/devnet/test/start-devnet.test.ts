import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  batchSettlementAddress,
  type Devnet,
  DevnetError,
  payerAccount,
  startDevnet,
} from '../src/index.ts'

let devnet: Devnet
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-devnet-'))
  devnet = await startDevnet()
})

afterAll(async () => {
  await devnet.stop()
  await rm(folder, { recursive: true, force: true })
})

test.each([
  ['a devnet has no option "payer"', { payer: 3 }],
  ['port must be a whole number from 0 to 65535', { port: -1 }],
  ['payers must be a whole number from 0 to 10000', { payers: 1e9 }],
  ['payers must be a whole number from 0 to 10000', { payers: Number.NaN }],
  ['blockTime must be whole seconds above 0', { blockTime: '2s' }],
  ['treasuryKey must be a private key', { treasuryKey: '0x12' }],
  ['signal must be an AbortSignal', { signal: 5 }],
])('a wrong option is refused by name: %s (%#)', async (message, options) => {
  await expect(startDevnet(options as never)).rejects.toMatchObject({
    code: 'invalid_option',
    message: expect.stringContaining(message),
  })
})

test('presents itself as Base Sepolia', async () => {
  expect(await devnet.rpc('eth_chainId', [])).toBe('0x14a34')
  expect(devnet).toMatchObject({ chainId: 84532, network: 'base-sepolia' })
})

test('funds 20 payers with 1,000 USDC and no ETH', async () => {
  expect(devnet.payers).toHaveLength(20)
  for (const payer of devnet.payers) {
    expect(await devnet.usdcBalance(payer.address)).toBe(1_000_000_000n)
    expect(await devnet.rpc('eth_getBalance', [payer.address, 'latest'])).toBe('0x0')
  }
})

test('gives ETH to the relayer but not to the treasury', async () => {
  const ether = async (address: string): Promise<bigint> =>
    BigInt(await devnet.rpc<string>('eth_getBalance', [address, 'latest']))
  expect(await ether(devnet.relayer.address)).toBe(100n * 10n ** 18n)
  expect(await ether(devnet.treasury.address)).toBe(0n)
  expect(await devnet.usdcBalance(devnet.treasury.address)).toBe(0n)
})

test('generates treasury and relayer, and derives the payers', async () => {
  const other = await startDevnet({ payers: 2 })
  await other.stop()
  expect(other.treasury.address).not.toBe(devnet.treasury.address)
  expect(other.relayer.address).not.toBe(devnet.relayer.address)
  expect(other.payers).toEqual([payerAccount(0), payerAccount(1)])
})

test('funds a thousand payers', async () => {
  const crowded = await startDevnet({ payers: 1_000 })
  try {
    const balances = await Promise.all(
      crowded.payers.map(({ address }) => crowded.usdcBalance(address)),
    )
    expect(new Set(balances)).toEqual(new Set([1_000_000_000n]))
  } finally {
    await crowded.stop()
  }
})

test('keeps balances, blocks, logs and configured keys over a restart', async () => {
  const keys = {
    treasuryKey: payerAccount(100).privateKey,
    relayerKey: payerAccount(101).privateKey,
    stateFile: join(folder, 'kept.json'),
  }
  const first = await startDevnet(keys)
  await first.mint(first.treasury.address, 42n)
  const [block, logs] = await history(first)
  await first.stop()

  const second = await startDevnet(keys)
  expect(await history(second)).toEqual([block, logs])
  expect(await second.usdcBalance(second.treasury.address)).toBe(42n)
  expect(second.treasury).toEqual(first.treasury)
  await second.mint(second.treasury.address, 1n)
  await second.stop()

  const third = await startDevnet(keys)
  expect(await third.usdcBalance(third.treasury.address)).toBe(43n)
  expect(await third.usdcBalance(third.payers[0]?.address ?? '0x')).toBe(1_000_000_000n)
  await third.stop()
})

test('writes no states to disk, keeps the last 128, and leaves no folder behind', async () => {
  const long = await startDevnet({ payers: 1 })
  const args = execFileSync('ps', ['-ww', '-o', 'args=', '-p', String(long.pid)], {
    encoding: 'utf8',
  })
  const cache = /--cache-path (\S+)/.exec(args)?.[1] ?? ''
  await long.mine(300)
  const entries = await readdir(cache, { recursive: true, withFileTypes: true })
  expect(entries.filter((entry) => entry.isFile())).toEqual([])
  await long.rollback(120)
  expect(await long.usdcBalance(long.payers[0]?.address ?? '0x')).toBe(1_000_000_000n)
  await long.stop()
  expect(existsSync(cache)).toBe(false)
})

test('a kept chain gets new accounts and contracts, and does not change the old ones', async () => {
  const stateFile = join(folder, 'grown.json')
  const first = await startDevnet({ stateFile, payers: 1 })
  const contract = ['eth_getCode', [batchSettlementAddress, 'latest']] as const
  const code = await first.rpc<string>(...contract)
  // A chain of a version without the contract.
  await first.setCode(batchSettlementAddress, '0x')
  await first.stop()
  const second = await startDevnet({ stateFile, payers: 2 })
  const [old, added] = await Promise.all(
    second.payers.map(async (payer) => await second.usdcBalance(payer.address)),
  )
  expect([old, added]).toEqual([1_000_000_000n, 1_000_000_000n])
  expect(await second.rpc(...contract)).toBe(code)
  const ether = await second.rpc<string>('eth_getBalance', [second.relayer.address, 'latest'])
  expect(BigInt(ether)).toBe(100n * 10n ** 18n)
  await second.stop()
})

async function history(chain: Devnet): Promise<readonly [string, unknown[]]> {
  const filter = { fromBlock: '0x0', toBlock: 'latest', address: chain.usdc }
  const block = await chain.rpc<{ hash: string }>('eth_getBlockByNumber', ['latest', false])
  return [block.hash, await chain.rpc<unknown[]>('eth_getLogs', [filter])]
}

test('only one devnet at a time can use a state', async () => {
  const stateFile = join(folder, 'single.json')
  const holder = await startDevnet({ stateFile })
  await expect(startDevnet({ stateFile })).rejects.toMatchObject({ code: 'state_in_use' })
  await holder.stop()
  await (await startDevnet({ stateFile })).stop()
})

test('a port in use throws start_failed', async () => {
  const port = Number(new URL(devnet.rpcUrl).port)
  const start = startDevnet({ port })
  await expect(start).rejects.toBeInstanceOf(DevnetError)
  await expect(start).rejects.toMatchObject({ code: 'start_failed', message: /in use/ })
})

test.each([
  [{ TMPDIR: '/nonexistent' }, [], 1, /^a temporary folder cannot .*Set TMPDIR to .*\n$/],
  [
    { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'http://127.0.0.1:9' },
    [],
    1,
    /could not be reached.*set NO_PROXY=127\.0\.0\.1\n$/,
  ],
  [{}, ['--prot', '1'], 2, /^Unknown option '--prot'/],
  [{}, ['--port', 'x'], 2, /^--port x is not a port\.\n\nfarebox-devnet /],
  [{}, ['--block-time', 'x'], 2, /^--block-time x is not a number of seconds\.\n/],
])(
  'farebox-devnet with %j and %j ends with exit code %i and a sentence',
  (environment, args, code, message) => {
    const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
    const given = ['--conditions=farebox-source', main, '--dir', folder, '--port', '0', ...args]
    const env = { PATH: process.env['PATH'], ...environment }
    const options = { env, encoding: 'utf8', timeout: 30_000 } as const
    const { status, stderr } = spawnSync(process.execPath, given, options)
    expect(status).toBe(code)
    expect(stderr).toMatch(message)
    expect(stderr).not.toMatch(/^ +at /m)
  },
)

test('stops when its signal aborts', async () => {
  const stopping = new AbortController()
  const stopped = await startDevnet({ payers: 0, signal: stopping.signal })
  stopping.abort()
  await stopped.stop()
  await expect(stopped.rpc('eth_chainId', [])).rejects.toMatchObject({ code: 'rpc_failed' })
  await expect(startDevnet({ signal: stopping.signal })).rejects.toThrow(/abort/)
})
