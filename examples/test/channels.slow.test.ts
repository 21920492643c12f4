// Payments from a channel and withdrawals have faster tests in packages/payments/test: stock-client.test.ts
// and claims.test.ts.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDevnet } from '@farebox/devnet'
import { expect, test } from 'vitest'
import { appProgram } from '../../scripts/testing/app-program.ts'
import { end, example, lineOf, outputOf, start } from './run-program.ts'

test('a channel pays for calls, and its payer withdraws the rest without the gateway', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-examples-'))
  const devnet = await openDevnet(folder)
  try {
    const gateway = start(appProgram('gateway'), [], {
      DATA_DIR: folder,
      RPC_URL: devnet.rpcUrl,
      PORT: '0',
    })
    const url = await lineOf(gateway, /"event":"listening","url":"([^"]+)"/)
    const keys = join(folder, 'devnet.json')
    const paid = await outputOf(start(example('pay-by-channel.ts'), [keys], { FAREBOX_URL: url }))
    expect(paid.match(/paid by a deposit of 100000/g)).toHaveLength(1)
    expect(paid.match(/paid by a signature/g)).toHaveLength(2)
    expect(paid).toMatch(/\nThe rest is returned from 20\S+Z on, if you ask for it again\.\n$/)
    expect(paid).not.toContain('failed')
    await end(gateway)

    const payer = devnet.payers[0]?.address ?? '0x'
    await devnet.rpc('anvil_setBalance', [payer, '0xde0b6b3a7640000'])
    const before = await devnet.usdcBalance(payer)
    const args = [keys, /0x[0-9a-f]{64}/.exec(paid)?.[0] ?? '']
    const withdraw = async () => await outputOf(start(example('withdraw-from-channel.ts'), args))
    expect(await withdraw()).toMatch(/^announced \d+: run it again after 86400 seconds\n$/)
    expect(await withdraw()).toMatch(/^announced \d+: run it again after \d+ seconds\n$/)
    await devnet.rpc('evm_increaseTime', [86_400])
    await devnet.mine(1)
    const returned = /^returned (\d+) in 0x/.exec(await withdraw())?.[1] ?? '0'
    expect((await devnet.usdcBalance(payer)) - before).toBe(BigInt(returned))
    expect(BigInt(returned)).toBeGreaterThan(99_000n)
    expect(await withdraw()).toBe('nothing is left in the channel\n')
  } finally {
    await devnet.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})
