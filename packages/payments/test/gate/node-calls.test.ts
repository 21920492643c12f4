import { type Devnet, type DevnetAccount, startDevnet } from '@farebox/devnet'
import { type RpcFaults, startRpcFaults } from '@farebox/devnet/faults'
import { createMemoryStore } from '@farebox/ledger'
import { openPaywall } from '@farebox/payments'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { usdc } from '../support/pay.ts'
import { admitted, payHeaders, requestFor } from '../support/test-paywall.ts'

let devnet: Devnet
let node: RpcFaults
const ends: (() => Promise<void>)[] = []

beforeAll(async () => {
  devnet = await startDevnet({ payers: 50 })
  node = await startRpcFaults({ target: devnet.rpcUrl })
})
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})
afterAll(async () => {
  await node.stop()
  await devnet.stop()
})

type Calls = { readonly sale: number; readonly withRefund: number }

/** Sells to payers at once, in rounds, and refunds; returns the calls of the node per payment. */
async function callsPerPayment(payers: readonly DevnetAccount[], rounds: number): Promise<Calls> {
  const { gate, refunds, close } = openPaywall({
    network: 'devnet',
    rpcUrl: node.url,
    store: createMemoryStore(),
    treasuryKey: devnet.treasury.privateKey,
    relayerKey: devnet.relayer.privateKey,
  })
  ends.push(close)
  const sell = async (payer: DevnetAccount): Promise<void> => {
    const { v2 } = await payHeaders(devnet, payer)
    const begun = await gate.begin(admitted(await gate.admit(requestFor(v2))))
    if (begun.status !== 'begun') throw new Error('expected to begin')
    await gate.complete(begun.payment, { cost: usdc(4_000n), usage: null, answer: null })
  }
  const counts = { sale: 0, withRefund: 0 }
  for (let round = 0; round < rounds; round += 1) {
    const before = node.calls.length
    await Promise.all(payers.map(sell))
    counts.sale += node.calls.length - before
    for (let open = 1; open > 0; ) open = (await refunds?.runOnce())?.open ?? 0
    counts.withRefund += node.calls.length - before
  }
  const payments = rounds * payers.length
  return { sale: counts.sale / payments, withRefund: counts.withRefund / payments }
}

test('a payment alone takes 8 calls of the node at most, and its refund as many', async () => {
  const calls = await callsPerPayment(devnet.payers.slice(0, 1), 5)
  expect(calls.sale).toBeLessThanOrEqual(8)
  expect(calls.withRefund).toBeLessThanOrEqual(16)
})

test('of 50 payments at once, each takes half a call at most, with its refund', async () => {
  const calls = await callsPerPayment(devnet.payers, 3)
  expect(calls.withRefund).toBeLessThanOrEqual(0.5)
})
