import { type Devnet, startDevnet } from '@farebox/devnet'
import { type RpcFaults, startRpcFaults } from '@farebox/devnet/faults'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterEach, expect, test } from 'vitest'
import { executeAuthorization } from '../support/on-chain.ts'
import { payHeaders, requestFor, runRefunds, type TestPaywall } from '../support/test-paywall.ts'
import { testPaywallsOn } from '../support/test-paywalls.ts'

let devnet: Devnet
const { freshPayer, open } = testPaywallsOn(async () => {
  devnet = await startDevnet({ payers: 60 })
  return devnet
})
const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

async function openCounted(): Promise<{ readonly paywall: TestPaywall; readonly node: RpcFaults }> {
  const node = await startRpcFaults({ target: devnet.rpcUrl })
  ends.push(node.stop)
  return { node, paywall: open({ rpcUrl: node.url, policy: { watchMs: 15_000 } }) }
}

/** The calls to the node in ten rounds of recovery over half a minute. */
async function callsAtRest({ paywall, node }: Awaited<ReturnType<typeof openCounted>>) {
  paywall.passSeconds(31)
  await paywall.recovery.runOnce()
  const before = node.calls.length
  for (let round = 0; round < 10; round += 1) {
    paywall.passSeconds(3)
    await paywall.recovery.runOnce()
  }
  return node.calls.length - before
}

test('fifty signatures of empty keys leave no rows and cause no calls at rest', async () => {
  const counted = await openCounted()
  const { paywall, node } = counted
  for (let index = 0; index < 50; index += 1) {
    const privateKey = generatePrivateKey()
    const empty = { privateKey, address: privateKeyToAddress(privateKey) }
    const { v2 } = await payHeaders(devnet, empty)
    expect((await paywall.gate.admit(requestFor(v2))).status).toBe('rejected')
  }
  expect(node.calls.length).toBeLessThanOrEqual(100)
  for await (const { payment } of paywall.store.exportPayments()) expect(payment).toBeUndefined()
  expect(await callsAtRest(counted)).toBe(0)
})

test('fifty refused payments cause no calls at rest, and are checked when they have expired', async () => {
  const counted = await openCounted()
  const { paywall } = counted
  const refused = await Promise.all(
    Array.from({ length: 50 }, async () => {
      const payer = freshPayer()
      await devnet.blacklist(payer.address)
      const { v2, signed } = await payHeaders(devnet, payer)
      expect((await paywall.gate.admit(requestFor(v2))).status).toBe('rejected')
      return { payer, signed }
    }),
  )
  expect(await callsAtRest(counted)).toBe(0)
  const [{ payer, signed }] = refused as [(typeof refused)[number]]
  await devnet.unBlacklist(payer.address)
  await executeAuthorization(devnet, signed)
  paywall.passSeconds(300)
  await paywall.recovery.runOnce()
  await devnet.mine(3)
  paywall.passSeconds(61)
  await paywall.recovery.runOnce()
  await runRefunds(paywall)
  expect(await devnet.usdcBalance(payer.address)).toBe(1_000_000_000n)
})
