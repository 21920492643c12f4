import { createPublicClient, http, parseEventLogs } from 'viem'
import { baseSepolia } from 'viem/chains'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Flashblocks, startFlashblocks } from '../../src/faults.ts'
import { type Devnet, devnetUsdcAbi, startDevnet, usdcAddress } from '../../src/index.ts'
import { connect, signedTransfer } from '../chain/authorization.ts'

let devnet: Devnet
let node: Flashblocks

beforeAll(async () => {
  devnet = await startDevnet({ payers: 1 })
  node = await startFlashblocks({ target: devnet.rpcUrl })
})
afterAll(async () => {
  await node.stop()
  await devnet.stop()
})

test('shows the receipt of a pending transaction, whose logs are those of its block', async () => {
  const data = await signedTransfer(devnet, 5n)
  await devnet.setAutomine('off')
  const { relayer } = connect(devnet)
  const hash = await relayer.sendTransaction({ to: usdcAddress, data })
  const transport = http(node.url, { retryCount: 0 })
  const client = createPublicClient({ chain: baseSepolia, transport, cacheTime: 0 })
  const shown = await client.getTransactionReceipt({ hash })
  expect(shown).toMatchObject({ blockHash: `0x${'0'.repeat(64)}`, status: 'success' })
  node.setShown(() => null)
  await expect(client.getTransactionReceipt({ hash })).rejects.toThrow(/could not be found/)
  await devnet.mine(1)
  const mined = await client.getTransactionReceipt({ hash })
  expect(mined.blockNumber).toBe(shown.blockNumber)
  const read = ({ logs }: typeof mined) =>
    parseEventLogs({ abi: devnetUsdcAbi, logs }).map(({ eventName, args, logIndex }) => {
      return { eventName, args, logIndex }
    })
  expect(read(shown)).toEqual(read(mined))
  expect(read(mined).map(({ eventName }) => eventName)).toEqual(['AuthorizationUsed', 'Transfer'])
})
