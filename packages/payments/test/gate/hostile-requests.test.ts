import {
  type Devnet,
  type DevnetAccount,
  delegateTo,
  flippingWallet,
  startDevnet,
} from '@farebox/devnet'
import { createMemoryStore } from '@farebox/ledger'
import { expect, test } from 'vitest'
import { usdc } from '../support/pay.ts'
import { admitted, payHeaders, requestFor, type TestPaywall } from '../support/test-paywall.ts'
import { testPaywallsOn } from '../support/test-paywalls.ts'

let devnet: Devnet
const { freshPayer, open } = testPaywallsOn(async () => {
  devnet = await startDevnet({ payers: 24 })
  return devnet
})

async function present(paywall: TestPaywall, payer: DevnetAccount, clientAddress?: string) {
  const validBefore = Math.floor(paywall.clock() / 1000) + 300
  const { v2 } = await payHeaders(devnet, payer, { validBefore })
  return await paywall.gate.admit({ ...requestFor(v2), clientAddress })
}

/** Settles, begins and ends a service that failed. */
async function failOnce(
  paywall: TestPaywall,
  payer: DevnetAccount,
  fault: { readonly faultOf?: 'payer'; readonly clientAddress?: string } = {},
) {
  const settled = admitted(await present(paywall, payer, fault.clientAddress))
  const begun = await paywall.gate.begin(settled)
  await paywall.gate.fail(begun.payment, { reason: 'upstream_rejected', answer: null, ...fault })
}

test('requests at fault count on every replica, failures of a provider on none', async () => {
  const store = createMemoryStore()
  const policy = { faultsPerPayer: 2 }
  const paywall = open({ store, policy })
  const replica = open({ store, policy, owner: 'replica-2', queue: paywall.queue })
  const payer = freshPayer()
  for (let failure = 0; failure < 3; failure += 1) await failOnce(paywall, payer)
  await failOnce(paywall, payer, { faultOf: 'payer' })
  await failOnce(replica, payer, { faultOf: 'payer' })
  for (const refusing of [paywall, replica]) {
    expect(await present(refusing, payer)).toMatchObject({
      status: 'rejected',
      body: { message: expect.stringMatching(/ended unserved.*until 20\d\d-.*Z/) },
    })
  }
  replica.passSeconds(601)
  admitted(await present(replica, payer))
})

test('new payers whose requests are rejected share the limit of their network address', async () => {
  const paywall = open({ policy: { unservedPerAddress: 3 } })
  const [address, other] = ['192.0.2.1', '192.0.2.2']
  const fails = (fault: { readonly faultOf?: 'payer' } = {}) =>
    failOnce(paywall, freshPayer(), { clientAddress: address, ...fault })
  for (let failure = 0; failure < 4; failure += 1) await fails()
  await fails({ faultOf: 'payer' })
  await fails({ faultOf: 'payer' })
  const waiting = requestFor((await payHeaders(devnet, freshPayer())).v2)
  const leaver = { ...waiting, clientAddress: address }
  await paywall.gate.abandon(admitted(await paywall.gate.admit(leaver)), 'client_left', address)

  const refused = await present(paywall, freshPayer(), address)
  expect(refused).toMatchObject({
    status: 'rejected',
    body: {
      message: expect.stringMatching(/network address ended unserved: .*until 20\d\d-.*Z/),
    },
  })
  admitted(await present(paywall, freshPayer(), other))
  admitted(await present(paywall, freshPayer()))
  // A client that returns is served, and no longer counts.
  admitted(await paywall.gate.admit(leaver))
  admitted(await present(paywall, freshPayer(), address))
  await fails({ faultOf: 'payer' })
  expect((await present(paywall, freshPayer(), address)).status).toBe('rejected')
  paywall.passSeconds(3_601)
  admitted(await present(paywall, freshPayer(), address))
})

test('served calls that their payer is to blame for count against it and its network address', async () => {
  const paywall = open({ policy: { faultsPerPayer: 2, unservedPerAddress: 3 } })
  const [address, other] = ['192.0.2.1', '192.0.2.2']
  const [payer, another] = [freshPayer(), freshPayer()]
  const leave = async (leaver: DevnetAccount) => {
    const settled = admitted(await present(paywall, leaver, address))
    const { payment } = await paywall.gate.begin(settled)
    const blame = { faultOf: 'payer', clientAddress: address } as const
    await paywall.gate.complete(payment, { cost: usdc(1n), usage: null, answer: null, ...blame })
  }
  await leave(payer)
  await leave(payer)
  expect((await present(paywall, payer, other)).status).toBe('rejected')
  await leave(another)
  expect((await present(paywall, another, address)).status).toBe('rejected')
  admitted(await present(paywall, another, other))
})

test.each([
  { policy: { unservedPerAddress: 3 }, ending: { faultOf: 'payer', unpaidCost: usdc(150_000n) } },
  { policy: { unservedPerAddress: 2 }, ending: { faultOf: 'payer', unpaidCost: usdc(50_000n) } },
  { policy: { unservedPerAddress: 1 }, ending: { unpaidCost: usdc(50_000n) } },
] as const)(
  'a network address is refused by what its calls may cost the provider: $ending',
  async ({ policy, ending }) => {
    const paywall = open({ policy })
    const [payer, address] = [freshPayer(), '192.0.2.1']
    const begun = async () =>
      (await paywall.gate.begin(admitted(await present(paywall, payer, address)))).payment
    const served = { cost: usdc(1n), usage: null, answer: null, clientAddress: address }
    await paywall.gate.complete(await begun(), { ...served, ...ending })
    const failed = { reason: 'failed', answer: null, clientAddress: address }
    await paywall.gate.fail(await begun(), { ...failed, ...ending })
    expect((await present(paywall, payer, address)).status).toBe('rejected')
    admitted(await present(paywall, payer, '192.0.2.2'))
  },
)

test('when two refusals apply, the response states the one that ends later', async () => {
  const paywall = open({ policy: { faultsPerPayer: 2, revertsPerPayer: 1 } })
  const payer = freshPayer()
  await failOnce(paywall, payer, { faultOf: 'payer' })
  paywall.passSeconds(240)
  await delegateTo(devnet, payer.address, flippingWallet(100_000))
  expect((await present(paywall, payer)).status).toBe('pending')
  expect(await present(paywall, payer)).toMatchObject({
    status: 'rejected',
    body: { message: expect.stringContaining('reverted on the chain') },
  })
})

test('a client that disconnected and returned does not count against its payer', async () => {
  const paywall = open({ policy: { faultsPerPayer: 1 } })
  const payer = freshPayer()
  const { v2 } = await payHeaders(devnet, payer)
  await paywall.gate.abandon(admitted(await paywall.gate.admit(requestFor(v2))), 'client_left')
  expect((await present(paywall, payer)).status).toBe('rejected')
  admitted(await paywall.gate.admit(requestFor(v2)))
  admitted(await present(paywall, payer))
})
