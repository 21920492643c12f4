import { type Devnet, startDevnet } from '@farebox/devnet'
import {
  claimedFailure,
  claimedSuccess,
  type FacilitatorFault,
  type FaultyFacilitator,
  startFaultyFacilitator,
} from '@farebox/devnet/faults'
import { createChainReader, createRemoteFacilitator } from '@farebox/payments/chain'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { usdc } from '../support/pay.ts'
import {
  admitted,
  auditTestPaywall,
  payHeaders,
  price,
  requestFor,
  runRefunds,
  type TestPaywall,
  until,
} from '../support/test-paywall.ts'
import { funds, testPaywallsOn } from '../support/test-paywalls.ts'

let devnet: Devnet
const { open, freshPayer } = testPaywallsOn(async () => {
  devnet = await startDevnet()
  return devnet
})
let facilitator: FaultyFacilitator
let paywall: TestPaywall
beforeAll(async () => {
  facilitator = await startFaultyFacilitator({
    rpcUrl: devnet.rpcUrl,
    relayerKey: devnet.relayer.privateKey,
  })
  const chain = createChainReader({ rpcUrl: devnet.rpcUrl })
  paywall = open({
    facilitator: createRemoteFacilitator({ url: facilitator.url, chain }),
    policy: { settleTimeoutMs: 400, proofTimeoutMs: 100 },
  })
})
afterAll(() => facilitator.stop())

const moments = ['instead', 'after'] as const
const faults: readonly (readonly [string, FacilitatorFault])[] = [
  ...moments.flatMap((moment) => [
    [`hangs ${moment} settling`, { kind: 'hang', moment }] as const,
    [`breaks the connection ${moment} settling`, { kind: 'disconnect', moment }] as const,
    [`answers 500 ${moment} settling`, { kind: 'status', status: 500, moment }] as const,
    [`answers 402 ${moment} settling`, { kind: 'status', status: 402, moment }] as const,
    [`answers garbage ${moment} settling`, { kind: 'garbage', moment }] as const,
  ]),
  ['claims a success that never happened', claimedSuccess],
  ['claims a failure although it settled', claimedFailure],
  ['reports pending', { kind: 'pending' }],
  ['responds late', { kind: 'late', ms: 600 }],
  ['settles after the gate has stopped waiting', { kind: 'slow', ms: 600 }],
]

test.each(faults)(
  'a facilitator that %s: the payer is charged once and refunded once',
  async (_name, fault) => {
    const payer = freshPayer()
    const { v1, v2 } = await payHeaders(devnet, payer)
    facilitator.setRule(({ endpoint }) => (endpoint === 'settle' ? fault : undefined))
    const first = await paywall.gate.admit(requestFor(v2))
    expect(['settled', 'pending']).toContain(first.status)
    facilitator.setRule()

    let admission = first
    await until(async () => {
      if (admission.status === 'settled') return true
      expect(admission).toMatchObject({ status: 'pending' })
      paywall.passSeconds(6)
      admission = await paywall.gate.admit(requestFor(v1))
      return false
    })
    const begun = await paywall.gate.begin(admitted(admission))
    await paywall.gate.complete(begun.payment, { cost: usdc(4_000n), usage: null, answer: null })
    await runRefunds(paywall)
    expect(await devnet.usdcBalance(payer.address)).toBe(funds - 4_000n)
  },
)

test('a rejection by the facilitator that the chain confirms is a 402', async () => {
  const payer = freshPayer()
  const value = 2n * funds
  const { v2 } = await payHeaders(devnet, payer, { value })
  const offers = [{ amount: usdc(value), model: 'm', priceVersion: 'v1' }] as const
  const admission = await paywall.gate.admit(requestFor(v2, { offers }))
  expect(admission).toMatchObject({ status: 'rejected' })
})

test('in the end the ledger matches the chain to the unit', async () => {
  const report = await auditTestPaywall(paywall)
  expect(report.unexplained).toEqual([])
  expect(report.received).toBe(BigInt(faults.length) * price)
  expect(report.refunded).toBe(BigInt(faults.length) * (price - 4_000n))
})
