// One round of it: hostile-payers.test.ts.
import { type Devnet, delegateTo, flippingWallet, startDevnet } from '@farebox/devnet'
import { defaultPaymentPolicy } from '@farebox/payments'
import { expect, test } from 'vitest'
import { payHeaders, requestFor } from '../support/test-paywall.ts'
import { testPaywallsOn } from '../support/test-paywalls.ts'

let devnet: Devnet
const { freshPayer, open } = testPaywallsOn(async () => {
  devnet = await startDevnet({ payers: 62 })
  return devnet
})
const { settlementGas, revertsPerPayer, revertsPerAddress, payerFaultWindowMs } =
  defaultPaymentPolicy

async function gasUsedSince(block: number): Promise<readonly number[]> {
  const head = Number(await devnet.rpc('eth_blockNumber', []))
  const used: number[] = []
  for (let number = block + 1; number <= head; number += 1) {
    const parameters = [`0x${number.toString(16)}`, false]
    const found = await devnet.rpc<{ gasUsed: string }>('eth_getBlockByNumber', parameters)
    if (Number(found.gasUsed) > 0) used.push(Number(found.gasUsed))
  }
  return used
}

test('a payer whose code lies burns a bounded amount of gas in an hour, however often it asks', async () => {
  const paywall = open()
  const payer = freshPayer()
  await delegateTo(devnet, payer.address, flippingWallet(400_000))
  const block = Number(await devnet.rpc('eth_blockNumber', []))
  let asked = 0
  for (let minute = 0; minute < 60; minute += 1) {
    // Once it is refused, further requests of the same minute are refused as well.
    for (let status = ''; status !== 'rejected'; asked += 1) {
      const validBefore = Math.floor(paywall.clock() / 1000) + 300
      const { v2 } = await payHeaders(devnet, payer, { validBefore })
      status = (await paywall.gate.admit(requestFor(v2))).status
    }
    paywall.passSeconds(60)
  }
  const used = await gasUsedSince(block)
  const gas = used.reduce((sum, each) => sum + each, 0)
  process.stderr.write(
    `${asked} requests in an hour: ${used.length} transactions reverted, ${gas} gas\n`,
  )
  const windows = 3_600_000 / payerFaultWindowMs
  expect(used.length).toBeGreaterThan(0)
  expect(used.length).toBeLessThanOrEqual(revertsPerPayer * windows)
  expect(gas).toBeLessThanOrEqual(used.length * Number(settlementGas.wallet))
})

test('new payers with code of their own burn a bounded amount of gas from one network address in an hour', async () => {
  const paywall = open()
  const block = Number(await devnet.rpc('eth_blockNumber', []))
  for (let minute = 0; minute < 60; minute += 1) {
    const payer = freshPayer()
    await delegateTo(devnet, payer.address, flippingWallet(400_000 + 100 * minute))
    const validBefore = Math.floor(paywall.clock() / 1000) + 300
    const { v2 } = await payHeaders(devnet, payer, { validBefore })
    await paywall.gate.admit({ ...requestFor(v2), clientAddress: '192.0.2.1' })
    paywall.passSeconds(59)
  }
  const used = (await gasUsedSince(block)).filter((gas) => gas > 300_000)
  const gas = used.reduce((sum, each) => sum + each, 0)
  process.stderr.write(`60 new payers: ${used.length} transactions reverted, ${gas} gas\n`)
  expect(used).toHaveLength(revertsPerAddress)
  expect(gas).toBeLessThanOrEqual(used.length * Number(settlementGas.wallet))
})
