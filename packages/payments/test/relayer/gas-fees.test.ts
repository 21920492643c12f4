import { type Devnet, startDevnet } from '@farebox/devnet'
import { createTransactionQueue } from '@farebox/payments/chain'
import { toHex } from 'viem'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { network } from '../support/pay.ts'

let devnet: Devnet
beforeAll(async () => {
  devnet = await startDevnet({ payers: 1 })
})
afterAll(() => devnet.stop())

test('fees are read again after the clock was set back', async () => {
  let now = Date.now()
  const { rpcUrl, relayer } = devnet
  const queue = createTransactionQueue({
    rpcUrl,
    network,
    key: relayer.privateKey,
    clock: () => now,
  })
  onTestFinished(() => queue.close())
  async function priceOf(data: `0x${string}`): Promise<bigint | undefined> {
    const outcome = await queue.send({ to: toHex(0xfa, { size: 20 }), data })
    if (outcome.status !== 'sent') return undefined
    return (await queue.receiptOf(outcome.transaction, 15_000))?.effectiveGasPrice
  }
  const before = (await priceOf('0x01')) ?? 0n
  await devnet.rpc('anvil_setNextBlockBaseFeePerGas', [toHex(before * 10n)])
  await devnet.mine(1)
  now -= 3_600_000
  expect(await priceOf('0x02')).toBeGreaterThan(before)
})
