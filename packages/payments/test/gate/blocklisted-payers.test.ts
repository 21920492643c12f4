import { type Devnet, startDevnet } from '@farebox/devnet'
import { expect, test } from 'vitest'
import { presentCall } from '../support/channel-payment.ts'
import { beginCall, buyerOn, channelOf, complete, setUpChannels } from '../support/channel-setup.ts'
import { payHeaders, price, reload, requestFor, runRefunds, sell } from '../support/test-paywall.ts'
import { auditedTestPaywallsOn, funds } from '../support/test-paywalls.ts'

let devnet: Devnet
const { balance, open, payer } = auditedTestPaywallsOn(async () => {
  devnet = await startDevnet()
  return devnet
})
const openAndBuy = buyerOn({ open, payer })

const transactions = async () =>
  Number(await devnet.rpc('eth_getTransactionCount', [devnet.relayer.address, 'pending']))

/** The 402 to a transfer that the token would reject. */
const wouldRevert = {
  status: 'rejected',
  body: { message: expect.stringMatching(/blocklist.*paused.*Pay from another account/) },
}

/** More than a day of rounds, each half an hour after the one before. */
async function forADay(
  paywall: { passSeconds(seconds: number): void },
  round: () => Promise<unknown>,
) {
  for (let count = 0; count < 50; count += 1) {
    paywall.passSeconds(1_800)
    await round()
  }
}

test('a refund to a payer on the blocklist is blocked and shown, and no gas is spent on it for a day', async () => {
  const paywall = open()
  const blocked = await sell(paywall, payer(0), 4_000n)
  const other = await sell(paywall, payer(1), 4_000n)
  await devnet.blacklist(payer(0).address)
  await runRefunds(paywall)
  expect((await reload(paywall, other)).refund).toMatchObject({ status: 'confirmed' })
  const before = await transactions()
  await forADay(paywall, () => paywall.refunds.runOnce())
  expect(await transactions()).toBe(before)
  expect((await reload(paywall, blocked)).refund).toMatchObject({ status: 'blocked' })
  expect(paywall.notices).toContainEqual(
    expect.objectContaining({ type: 'refund_blocked', reason: 'blacklisted_payee' }),
  )
  expect([await balance(0), await balance(1)]).toEqual([funds - price, funds - 4_000n])

  await devnet.unBlacklist(payer(0).address)
  paywall.passSeconds(86_401)
  await runRefunds(paywall)
  expect(await balance(0)).toBe(funds - 4_000n)
})

test('payers on the blocklist cost no gas and delay no other payer', async () => {
  const paywall = open()
  await devnet.blacklist(payer(0).address)
  await devnet.blacklist(payer(2).address)
  const headers = await Promise.all([0, 1, 2, 3].map((index) => payHeaders(devnet, payer(index))))
  const before = await transactions()
  const admissions = await Promise.all(headers.map(({ v2 }) => paywall.gate.admit(requestFor(v2))))
  const settled = admissions.map(({ status }) => status)
  expect(settled).toEqual(['rejected', 'settled', 'rejected', 'settled'])
  const used = (await transactions()) - before
  expect(used).toBeGreaterThan(0)
  expect(used).toBeLessThanOrEqual(2)
  for (let count = 0; count < 5; count += 1) {
    expect(await paywall.gate.admit(requestFor(headers[0]!.v2))).toMatchObject(wouldRevert)
  }
  expect((await transactions()) - before).toBe(used)
})

test('while the token is paused, payments are refused with the cause, and cost no gas', async () => {
  const paywall = open()
  await devnet.pause()
  const { v2 } = await payHeaders(devnet, payer(0))
  const before = await transactions()
  expect(await paywall.gate.admit(requestFor(v2))).toMatchObject(wouldRevert)
  expect(await transactions()).toBe(before)
})

test('what a payer on the blocklist was charged in its channel is claimed, and closing it costs no gas for a day', async () => {
  const { setup, call } = await openAndBuy()
  const inFlight = await beginCall(setup, payer(0), call)
  await devnet.blacklist(payer(0).address)
  await complete(setup.paywall, inFlight, 3_000n)
  await setup.rounds.runOnce()
  expect(await channelOf(setup, call)).toMatchObject({ claimed: 7_000n })
  expect(await devnet.usdcBalance(devnet.treasury.address)).toBe(7_000n)

  const { store, clock } = setup.paywall
  await store.applyToChannel(await channelOf(setup, call), { type: 'closing', at: clock() })
  const before = await transactions()
  await forADay(setup.paywall, () => setup.rounds.runOnce())
  expect(await transactions()).toBe(before)
  expect(await channelOf(setup, call)).toMatchObject({ status: 'closing', returned: 0n })

  await devnet.unBlacklist(payer(0).address)
  setup.paywall.passSeconds(3_600)
  await setup.rounds.runOnce()
  expect(await channelOf(setup, call)).toMatchObject({ status: 'closed', returned: 93_000n })
  expect(await balance(0)).toBe(funds - 7_000n)
})

test('a deposit of a payer on the blocklist is refused before it costs gas, however often it comes', async () => {
  const { paywall, rounds } = setUpChannels(open)
  await rounds.runOnce()
  await devnet.blacklist(payer(0).address)
  const before = await transactions()
  for (const digest of ['a', 'b', 'c']) {
    const admission = await presentCall(paywall, payer(0), {
      ceiling: 10_000n,
      deposit: 100_000n,
      digest,
    })
    expect(admission).toMatchObject(wouldRevert)
  }
  expect(await transactions()).toBe(before)
  expect(await balance(0)).toBe(funds)
})
