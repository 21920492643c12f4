import {
  type Devnet,
  devnetUsdcAbi,
  multicall3Address,
  payerAccount,
  startDevnet,
} from '@farebox/devnet'
import { startRpcFaults } from '@farebox/devnet/faults'
import {
  type ChainReader,
  createChainReader,
  createTransactionQueue,
  readDataFee,
  type TransactionQueue,
} from '@farebox/payments/chain'
import { encodeFunctionData, type Hex, multicall3Abi, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  cancelTypes,
  network,
  type Signing,
  signAuthorization,
  tokenDomain,
} from '../support/pay.ts'

const payer = payerAccount(0)
const other = payerAccount(1)
const nonce: Hex = toHex(7, { size: 32 })
let devnet: Devnet
let snapshot: string
let chain: ChainReader
let queue: TransactionQueue
const ends: (() => void | Promise<void>)[] = []

beforeAll(async () => {
  devnet = await startDevnet()
  chain = createChainReader({ rpcUrl: devnet.rpcUrl })
})
afterAll(() => devnet.stop())
beforeEach(async () => {
  const { rpcUrl, relayer } = devnet
  queue = createTransactionQueue({ rpcUrl, network, key: relayer.privateKey })
  snapshot = await devnet.snapshot()
})
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
  queue.close()
  await devnet.revert(snapshot)
})

async function transferCall(change: Partial<Signing> = {}): Promise<Hex> {
  const { message, signature } = await signAuthorization({
    signer: payer,
    to: devnet.treasury.address,
    value: 500n,
    nonce,
    ...change,
  })
  const { from, to, value, validAfter, validBefore } = message
  return encodeFunctionData({
    abi: devnetUsdcAbi,
    functionName: 'transferWithAuthorization',
    args: [from, to, value, validAfter, validBefore, message.nonce, signature],
  })
}

async function cancelCall(): Promise<Hex> {
  const signature = await privateKeyToAccount(payer.privateKey).signTypedData({
    domain: tokenDomain,
    types: cancelTypes,
    primaryType: 'CancelAuthorization',
    message: { authorizer: payer.address, nonce },
  })
  return encodeFunctionData({
    abi: devnetUsdcAbi,
    functionName: 'cancelAuthorization',
    args: [payer.address, nonce, signature],
  })
}

async function mined(to: Hex, data: Hex, gas?: bigint): Promise<Hex> {
  const outcome = await queue.send({ to, data, ...(gas === undefined ? {} : { gas }) })
  if (outcome.status !== 'sent') throw new Error(`not sent: ${outcome.status}`)
  const receipt = await queue.receiptOf(outcome.transaction, 10_000)
  if (receipt === undefined) throw new Error('not mined')
  return receipt.transactionHash
}

const asset = network.usdc
const from: Hex = `0x${payer.address.slice(2).toLowerCase()}`
const treasury = (): Hex => `0x${devnet.treasury.address.slice(2).toLowerCase()}`
const search = { asset, from, nonce, fromBlock: 1 }

async function batch(calls: readonly Hex[]): Promise<Hex> {
  const data = encodeFunctionData({
    abi: multicall3Abi,
    functionName: 'aggregate3',
    args: [calls.map((callData) => ({ target: asset, allowFailure: true, callData }))],
  })
  return await mined(multicall3Address, data, 1_000_000n)
}

describe('the use of an authorization', () => {
  test('is unused up to the head', async () => {
    expect(await chain.authorizationUse(search)).toEqual({
      status: 'unused',
      head: await chain.head(),
    })
  })

  test('is a transfer, proven by its log', async () => {
    const transaction = await mined(asset, await transferCall())
    const use = await chain.authorizationUse(search)
    expect(use).toMatchObject({
      status: 'transferred',
      to: treasury(),
      value: 500n,
      proof: { transaction, logIndex: 1, block: (await chain.head()).number },
    })
  })

  test('is found without a log search by a correct hint; a wrong hint changes nothing', async () => {
    const faults = await startRpcFaults({ target: devnet.rpcUrl })
    ends.push(faults.stop)
    const reader = createChainReader({ rpcUrl: faults.url })
    const hint = await mined(asset, await transferCall())
    const stranger = await mined(asset, await transferCall({ nonce: toHex(8, { size: 32 }) }))
    const known = await reader.authorizationUse({ ...search, hint })
    expect(faults.calls.map((call) => call.method)).not.toContain('eth_getLogs')
    expect(await reader.authorizationUse({ ...search, hint: stranger })).toEqual(known)
    expect(await reader.authorizationUse({ ...search, hint: nonce })).toEqual(known)
    expect(known.status).toBe('transferred')
  })

  test('is not a payment when the authorization was canceled', async () => {
    await mined(asset, await cancelCall())
    expect(await chain.authorizationUse(search)).toEqual({ status: 'canceled' })
  })

  test('shows the actual payee of another transfer with the same nonce', async () => {
    const hint = await mined(asset, await transferCall({ to: other.address, value: 1n }))
    const use = await chain.authorizationUse({ ...search, hint })
    expect(use).toMatchObject({ status: 'transferred', to: other.address.toLowerCase(), value: 1n })
  })

  test('is found before the searched range, with its block', async () => {
    await mined(asset, await transferCall())
    const { number } = await chain.head()
    await devnet.mine(50)
    const reader = createChainReader({ rpcUrl: devnet.rpcUrl, blocksPerQuery: 7 })
    const use = await reader.authorizationUse({ ...search, fromBlock: number + 20 })
    expect(use).toMatchObject({ status: 'transferred', proof: { block: number } })
  })

  test('fails, instead of being unused, when the log index of the node lags', async () => {
    await mined(asset, await transferCall())
    const faults = await startRpcFaults({
      target: devnet.rpcUrl,
      rule: ({ method }) => (method === 'eth_getLogs' ? { kind: 'result', result: [] } : undefined),
    })
    ends.push(faults.stop)
    await expect(
      createChainReader({ rpcUrl: faults.url }).authorizationUse(search),
    ).rejects.toMatchObject({ code: 'chain_unavailable' })
  })

  test('is paired with its own transfer in a batch in which others fail', async () => {
    const first = toHex(11, { size: 32 })
    const broke = toHex(12, { size: 32 })
    const last = toHex(13, { size: 32 })
    const nonces = [first, broke, last]
    const calls = [
      await transferCall({ nonce: first, value: 10n }),
      await transferCall({ nonce: broke, value: 10n ** 15n }),
      // A plain call in between logs a transfer without an authorization.
      encodeFunctionData({ abi: devnetUsdcAbi, functionName: 'mint', args: [other.address, 30n] }),
      await transferCall({ nonce: last, value: 30n, to: other.address }),
    ]
    await batch(calls)
    const uses = await Promise.all(
      nonces.map((one) => chain.authorizationUse({ ...search, nonce: one })),
    )
    expect(uses).toMatchObject([
      { status: 'transferred', to: treasury(), value: 10n },
      { status: 'unused' },
      { status: 'transferred', to: other.address.toLowerCase(), value: 30n },
    ])
  })

  test('is unused again after a reorganization, and its proof is gone', async () => {
    const hint = await mined(asset, await transferCall())
    const use = await chain.authorizationUse({ ...search, hint })
    if (use.status !== 'transferred') throw new Error('expected a transfer')
    expect(await chain.confirmationsOf(use.proof)).toBe(1)
    await devnet.mine(3)
    expect(await chain.confirmationsOf(use.proof)).toBe(4)
    await devnet.reorg(4)
    expect(await chain.confirmationsOf(use.proof)).toBe('gone')
    expect((await chain.authorizationUse({ ...search, hint })).status).toBe('unused')
  })

  test('fails when the node is behind the block of the proof', async () => {
    await mined(asset, await transferCall())
    const use = await chain.authorizationUse(search)
    if (use.status !== 'transferred') throw new Error('expected a transfer')
    await devnet.rollback(1)
    await expect(chain.confirmationsOf(use.proof)).rejects.toMatchObject({
      code: 'chain_unavailable',
    })
  })
})

test('log searches respect the limits of the node', async () => {
  await mined(asset, await transferCall())
  await devnet.mine(100)
  const spans: number[] = []
  const faults = await startRpcFaults({
    target: devnet.rpcUrl,
    rule({ method, params }) {
      if (method !== 'eth_getLogs') return undefined
      const { fromBlock, toBlock } = params[0] as { fromBlock: Hex; toBlock: Hex }
      const span = Number(toBlock) - Number(fromBlock) + 1
      if (span > 10) return { kind: 'error', code: -32005, message: 'block range too large' }
      spans.push(span)
      return undefined
    },
  })
  ends.push(faults.stop)
  const use = await createChainReader({ rpcUrl: faults.url }).authorizationUse(search)
  expect(use.status).toBe('transferred')
  expect(Math.max(...spans)).toBeLessThanOrEqual(10)
})

test('transfers of an address are listed with their authorizations', async () => {
  const address = treasury()
  const first = toHex(21, { size: 32 })
  await mined(asset, await transferCall({ nonce: first, value: 10n }))
  await mined(
    asset,
    await transferCall({
      signer: devnet.treasury,
      to: payer.address,
      value: 4n,
      nonce: toHex(22, { size: 32 }),
    }),
  )
  await devnet.mint(address, 99n)
  await mined(asset, await transferCall({ signer: other, to: payer.address, value: 5n }))
  await batch([
    await transferCall({ nonce: toHex(23, { size: 32 }), value: 6n }),
    await transferCall({
      signer: devnet.treasury,
      to: address,
      value: 1n,
      nonce: toHex(24, { size: 32 }),
    }),
  ])
  const { number: toBlock } = await chain.head()
  const found = await chain.transfersOf({ asset, address, fromBlock: 1, toBlock })
  expect(
    found.map(({ value, nonce: used }) => [value, used === null ? null : Number(used)]),
  ).toEqual([
    [10n, 21],
    [4n, 22],
    [99n, null],
    [6n, 23],
    [1n, 24],
  ])
  const chunked = createChainReader({ rpcUrl: devnet.rpcUrl, blocksPerQuery: 2 })
  expect(await chunked.transfersOf({ asset, address, fromBlock: 1, toBlock })).toEqual(found)
})

test('balances, gas price and code are read', async () => {
  expect(await chain.balanceOf(asset, payer.address)).toBe(1_000_000_000n)
  expect(await chain.nativeBalanceOf(devnet.relayer.address)).toBeGreaterThan(99n * 10n ** 18n)
  expect(await chain.gasPrice()).toBeGreaterThan(0n)
  expect(await chain.hasCode(payer.address)).toBe(false)
  expect(await chain.hasCode(asset)).toBe(true)
})

test.each([
  ['is down', { kind: 'refuse' }],
  ['returns garbage', { kind: 'garbage' }],
  ['returns a 500', { kind: 'status', status: 500 }],
  ['returns errors', { kind: 'error', code: -32603, message: 'internal error' }],
  ['never answers', { kind: 'hang' }],
] as const)('with a node that %s, every read fails with one code', async (_, fault) => {
  const faults = await startRpcFaults({ target: devnet.rpcUrl, rule: () => fault })
  ends.push(faults.stop)
  const reader = createChainReader({ rpcUrl: faults.url, timeoutMs: 200 })
  const proof = { transaction: nonce, block: 1, blockHash: nonce, logIndex: 0 }
  const reads = [
    reader.head(),
    reader.authorizationUse(search),
    reader.authorizationUse({ ...search, hint: nonce }),
    reader.confirmationsOf(proof),
    reader.transfersOf({ asset, address: from, fromBlock: 1, toBlock: 2 }),
    reader.balanceOf(asset, from),
    reader.nativeBalanceOf(from),
    reader.hasCode(from),
    reader.gasPrice(),
    reader.acceptsSignature({ address: from, digest: nonce, signature: '0x00' }),
  ]
  const results = await Promise.allSettled(reads)
  expect(results).toMatchObject(
    reads.map(() => ({
      status: 'rejected',
      reason: {
        code: 'chain_unavailable',
        message: expect.stringMatching(/^Could not read .+ from the chain: ./),
      },
    })),
  )
})

test('the fee of data is read where the chain has one', async () => {
  const { rpcUrl } = devnet
  expect(await readDataFee({ rpcUrl }, 400)).toBe(0n)
  // Returns its argument: CALLDATALOAD of 4, MSTORE at 0, RETURN of 32 bytes.
  await devnet.setCode('0x420000000000000000000000000000000000000f', '0x60043560005260206000f3')
  expect(await readDataFee({ rpcUrl }, 400)).toBe(400n)
})
