import { setTimeout as pause } from 'node:timers/promises'
import { startDevnet } from '@farebox/devnet'
import { startRpcFaults } from '@farebox/devnet/faults'
import { createTransactionQueue } from '@farebox/payments/chain'
import { toHex } from 'viem'
import { expect, test } from 'vitest'
import { network } from '../support/pay.ts'

test('a transaction that waits long for its block is asked for ever less often', async () => {
  const devnet = await startDevnet({ payers: 1 })
  const node = await startRpcFaults({ target: devnet.rpcUrl })
  const { privateKey: key } = devnet.relayer
  const queue = createTransactionQueue({ rpcUrl: node.url, network, key, pollMs: 2 })
  try {
    await devnet.setAutomine('off')
    const sent = await queue.send({ to: toHex(0xfa, { size: 20 }), data: '0x01' })
    if (sent.status !== 'sent') throw new Error('expected it to be sent')
    await pause(1_000)
    const polls = node.calls.filter(({ method }) => method === 'eth_getTransactionReceipt')
    await devnet.mine(1)
    expect(await queue.receiptOf(sent.transaction, 2_000)).toMatchObject({ status: 'success' })
    // An eighth of the wait between two polls allows 37 in a second; a fixed interval, 500.
    expect(polls.length).toBeLessThan(60)
  } finally {
    queue.close()
    await node.stop()
    await devnet.stop()
  }
})
