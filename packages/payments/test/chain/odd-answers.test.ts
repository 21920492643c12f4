import { type Devnet, startDevnet } from '@farebox/devnet'
import { type RpcFaults, startRpcFaults } from '@farebox/devnet/faults'
import {
  ChainError,
  type ChainReader,
  type ChannelChain,
  createChainReader,
  createChannelChain,
  createTransactionQueue,
  readChainIdentity,
} from '@farebox/payments/chain'
import { type Hex, toHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { network, usdc } from '../support/pay.ts'

let devnet: Devnet
let node: RpcFaults
let chain: ChainReader
let channels: ChannelChain

beforeAll(async () => {
  devnet = await startDevnet()
  node = await startRpcFaults({ target: devnet.rpcUrl })
  const options = { rpcUrl: node.url, network }
  chain = createChainReader(options)
  channels = createChannelChain(options)
})
afterAll(async () => {
  await node.stop()
  await devnet.stop()
})

const id: Hex = toHex(7, { size: 32 })
const payer: Hex = toHex(0xfa, { size: 20 })
const place = { transaction: id, block: 0, blockHash: id, logIndex: 0 }
const search = { asset: network.usdc, from: payer, nonce: id, fromBlock: 0 }
const notText = [{}, [], '', 5, true, 'latest', [null], [{}], { logs: null }]
const noText = [null, ...notText]

type Read = () => Promise<unknown>

/** Each method with what a node may not answer to it, and what reads by it. */
const reads: readonly (readonly [string, readonly unknown[], readonly Read[]])[] = [
  [
    'eth_call',
    noText,
    [
      () => chain.authorizationUse(search),
      () => chain.balanceOf(network.usdc, payer),
      () => chain.payerOf(network.usdc, payer),
      () => chain.tokenControls(network.usdc, payer),
      () => chain.acceptsSignature({ address: payer, digest: id, signature: id }),
      () => channels.channels([id]),
      () => channels.receiver(payer),
      () => channels.accepts({ to: payer, data: '0x' }),
      () => channels.tryCall(id, { to: payer, data: '0x' }),
    ],
  ],
  [
    'eth_call',
    ['0x', '0x7'],
    [
      () => chain.authorizationUse(search),
      () => chain.balanceOf(network.usdc, payer),
      () => channels.channels([id]),
      () => channels.receiver(payer),
      () => channels.tryCall(id, { to: payer, data: '0x' }),
    ],
  ],
  ['eth_getCode', noText, [() => chain.codeOf(payer), () => chain.hasCode(payer)]],
  ['eth_getBalance', noText, [() => chain.nativeBalanceOf(payer)]],
  ['eth_gasPrice', noText, [() => chain.gasPrice()]],
  ['eth_chainId', noText, [() => channels.logs({ fromBlock: 0, toBlock: 1 })]],
  ['eth_getBlockByNumber', noText, [() => chain.head(), () => chain.confirmationsOf(place)]],
  [
    'eth_getLogs',
    [null, {}, '', '0x', 5, true, [null], { logs: null }],
    [
      () => chain.authorizationUse(search),
      () => channels.logs({ fromBlock: 0, toBlock: 1 }),
      () => chain.transfersOf({ asset: network.usdc, address: payer, fromBlock: 0, toBlock: 1 }),
    ],
  ],
  [
    'eth_getTransactionReceipt',
    [...notText, '0x'],
    [
      () => chain.authorizationUse({ ...search, hint: id }),
      () => chain.depositProof({ transfer: place, channelId: id, amount: usdc(5n) }),
    ],
  ],
  ['eth_getTransactionByHash', [...notText, '0x'], [() => chain.transactionOf(id)]],
]

test.each(reads)('a node whose answer to %s has another form is not relied on', async (...row) => {
  const [method, results, readers] = row
  for (const result of results) {
    node.setRule((call) => (call.method === method ? { kind: 'result', result } : undefined))
    for (const read of readers) {
      const shown = `${read.toString()} with ${JSON.stringify(result)}`
      await expect(read(), shown).rejects.toThrow(ChainError)
    }
  }
})

test.each(['eth_call', 'eth_chainId', 'eth_blockNumber'])(
  'a node that answers null to %s is not taken for one of another chain or token',
  async (method) => {
    node.setRule((call) => (call.method === method ? { kind: 'result', result: null } : undefined))
    const identity = await readChainIdentity({ rpcUrl: node.url, network })
    expect(identity).toMatchObject({ status: 'unavailable' })
    expect(identity).toMatchObject({ reason: expect.stringContaining(`not a result of ${method}`) })
  },
)

test.each([
  ['eth_estimateGas', 'unavailable'],
  ['eth_maxPriorityFeePerGas', 'unavailable'],
  ['eth_getTransactionCount', 'unavailable'],
  ['eth_getBlockByNumber', 'unavailable'],
  ['eth_sendRawTransaction', 'unknown'],
])(
  'a transaction is not taken as sent when the node answers null to %s',
  async (method, status) => {
    const queue = createTransactionQueue({
      rpcUrl: node.url,
      network,
      key: devnet.relayer.privateKey,
      pollMs: 600_000,
    })
    node.setRule((call) => (call.method === method ? { kind: 'result', result: null } : undefined))
    const outcome = await queue.send({ to: payer, data: '0x01' })
    queue.close()
    expect(outcome.status).toBe(status)
  },
)
