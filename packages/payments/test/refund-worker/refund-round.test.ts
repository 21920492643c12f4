import { type Devnet, startDevnet } from '@farebox/devnet'
import type { PaymentRecord } from '@farebox/ledger'
import { expect, test } from 'vitest'
import { transferFrom } from '../support/on-chain.ts'
import { usdc } from '../support/pay.ts'
import {
  coldWallet,
  finishRefunds,
  price,
  reload,
  runRefunds,
  sell,
  type TestPaywall,
  until,
} from '../support/test-paywall.ts'
import { auditedTestPaywallsOn, funds } from '../support/test-paywalls.ts'

let devnet: Devnet
const { balance, open, payer } = auditedTestPaywallsOn(async () => {
  devnet = await startDevnet({ payers: 12 })
  return devnet
})

const statusOf = async (paywall: TestPaywall, payment: PaymentRecord) =>
  (await reload(paywall, payment)).refund?.status

test('a refund waits until its settlement has enough confirmations', async () => {
  const paywall = open({ policy: { refundConfirmations: 4 } })
  const payment = await sell(paywall, payer(0), 4_000n)
  await paywall.refunds.runOnce()
  expect(await statusOf(paywall, payment)).toBe('due')
  await devnet.mine(3)
  paywall.passSeconds(1)
  await runRefunds(paywall)
  expect(await statusOf(paywall, payment)).toBe('confirmed')
  expect(await balance(0)).toBe(funds - 4_000n)
})

test('a confirmed refund is checked until it is final', async () => {
  const paywall = open()
  const payment = await sell(paywall, payer(0), 4_000n)
  await finishRefunds(paywall)
  const { refund } = await reload(paywall, payment)
  expect(await paywall.store.loadRefund(refund!.nonce!)).toMatchObject({ status: 'final' })
  expect(await balance(0)).toBe(funds - 4_000n)
})

test('several refunds are sent in one transaction', async () => {
  const paywall = open()
  const sold = [
    await sell(paywall, payer(0), 1n),
    await sell(paywall, payer(1), 2n),
    await sell(paywall, payer(2), 3n),
  ]
  expect(await paywall.refunds.runOnce()).toMatchObject({ sent: 3, faults: 0 })
  await runRefunds(paywall)
  const transactions = await Promise.all(
    sold.map(async (payment) => (await reload(paywall, payment)).refund?.transaction),
  )
  expect(new Set(transactions).size).toBe(1)
  expect([await balance(0), await balance(1), await balance(2)]).toEqual([
    funds - 1n,
    funds - 2n,
    funds - 3n,
  ])
})

test('a blocked payee delays no other, shows as blocked, and is paid once it is unblocked', async () => {
  const paywall = open()
  const sold = await Promise.all(devnet.payers.map((each) => sell(paywall, each, 4_000n)))
  await devnet.blacklist(payer(7).address)
  await runRefunds(paywall)
  const statuses = await Promise.all(sold.map((payment) => statusOf(paywall, payment)))
  expect(statuses.filter((status) => status === 'confirmed')).toHaveLength(11)
  expect(statuses[7]).toBe('blocked')

  await devnet.unBlacklist(payer(7).address)
  paywall.passSeconds(120)
  await runRefunds(paywall)
  expect(await statusOf(paywall, sold[7]!)).toBe('confirmed')
  expect(await balance(7)).toBe(funds - 4_000n)
})

test('a blocked refund is retried at growing intervals', async () => {
  const paywall = open()
  const payment = await sell(paywall, payer(0), 4_000n)
  await devnet.blacklist(payer(0).address)
  const pauses: number[] = []
  for (let look = 0; look < 15; look += 1) {
    await paywall.refunds.runOnce()
    const { refund } = await reload(paywall, payment)
    const transfer = await paywall.store.loadRefund(refund!.nonce!)
    pauses.push(Math.round((transfer!.nextAttemptAt - transfer!.updatedAt) / 1000))
    paywall.passSeconds(pauses.at(-1)! + 1)
  }
  expect(pauses.slice(0, 4)).toEqual([15, 30, 60, 120])
  expect(pauses.at(-1)).toBe(24 * 3_600)
})

type Outage = {
  readonly name: string
  readonly reason: string
  begin(): Promise<void>
  end(): Promise<void>
}
const outages: readonly Outage[] = [
  {
    name: 'the token is paused',
    reason: 'token_paused',
    begin: () => devnet.pause(),
    end: () => devnet.unpause(),
  },
  {
    name: 'the relayer has no ETH',
    reason: 'no_gas',
    begin: () => devnet.setEthBalance(devnet.relayer.address, 0n),
    end: () => devnet.setEthBalance(devnet.relayer.address, 10n ** 20n),
  },
  {
    name: 'the treasury is blacklisted',
    reason: 'treasury_blacklisted',
    begin: () => devnet.blacklist(devnet.treasury.address),
    end: () => devnet.unBlacklist(devnet.treasury.address),
  },
]

test.each(outages)(
  '$name: refunds pause, show as blocked, and are each paid once',
  async (outage) => {
    const paywall = open()
    const sold = [await sell(paywall, payer(0), 1_000n), await sell(paywall, payer(1), 2_000n)]
    await outage.begin()
    for (let look = 0; look < 6; look += 1) {
      await paywall.refunds.runOnce()
      paywall.passSeconds(10)
    }
    expect(await Promise.all(sold.map((payment) => statusOf(paywall, payment)))).toEqual([
      'blocked',
      'blocked',
    ])
    expect(paywall.notices).toContainEqual({ type: 'refunds_paused', reason: outage.reason })
    await outage.end()
    for (let look = 0; look < 6; look += 1) {
      paywall.passSeconds(15)
      await runRefunds(paywall)
    }
    expect(await Promise.all(sold.map((payment) => statusOf(paywall, payment)))).toEqual([
      'confirmed',
      'confirmed',
    ])
    expect([await balance(0), await balance(1)]).toEqual([funds - 1_000n, funds - 2_000n])
    expect(paywall.notices.filter(({ type }) => type === 'refunds_resumed')).not.toEqual([])
  },
)

test('a refund that the treasury cannot cover shows as blocked; one that it can cover is paid', async () => {
  const paywall = open()
  const large = await sell(paywall, payer(0), 0n)
  const small = await sell(paywall, payer(1), 9_000n)
  // The treasury holds both prices; all but 5,000 is moved elsewhere.
  await drainTreasury(paywall, 15_000n)
  await runRefunds(paywall)
  expect(await statusOf(paywall, small)).toBe('confirmed')
  expect(await statusOf(paywall, large)).toBe('blocked')
  await devnet.mint(devnet.treasury.address, 100_000n)
  paywall.passSeconds(15)
  await runRefunds(paywall)
  expect(await statusOf(paywall, large)).toBe('confirmed')
  expect(await balance(0)).toBe(funds)
})

test('an hour’s refunds do not exceed the hourly cap, nor a single refund its own', async () => {
  const paywall = open({ policy: { maxRefundsPerHour: usdc(9_000n) } })
  const first = await sell(paywall, payer(0), 4_000n)
  const second = await sell(paywall, payer(1), 4_000n)
  await until(async () => {
    await paywall.refunds.runOnce()
    const statuses = await Promise.all([first, second].map((each) => statusOf(paywall, each)))
    return statuses.toSorted().join() === 'confirmed,due'
  })
  expect(paywall.notices).toContainEqual({ type: 'refunds_paused', reason: 'hourly_cap' })
  paywall.passSeconds(3_700)
  await runRefunds(paywall)
  expect(await statusOf(paywall, first)).toBe('confirmed')
  expect(await statusOf(paywall, second)).toBe('confirmed')

  const capped = open({ store: paywall.store, policy: { maxRefund: usdc(5_000n) } })
  const tooMuch = await sell(capped, payer(2), 0n)
  await runRefunds(capped)
  expect(await statusOf(capped, tooMuch)).toBe('blocked')
})

test('small refunds of a payer are batched and sent together once they are worth the gas', async () => {
  const paywall = open({ refundMinimum: 5_000n })
  const sold = [
    await sell(paywall, payer(0), price - 2_000n),
    await sell(paywall, payer(0), price - 2_000n),
  ]
  await paywall.refunds.runOnce()
  expect(await statusOf(paywall, sold[0]!)).toBe('accruing')
  sold.push(await sell(paywall, payer(0), price - 1_500n))
  await runRefunds(paywall)
  const refunds = await Promise.all(sold.map(async (each) => (await reload(paywall, each)).refund))
  expect(refunds.map((refund) => refund?.status)).toEqual(['confirmed', 'confirmed', 'confirmed'])
  expect(new Set(refunds.map((refund) => refund?.nonce)).size).toBe(1)
  expect(await balance(0)).toBe(funds - 3n * price + 5_500n)
})

test('a small refund that has waited long enough is sent, however small', async () => {
  const paywall = open({ refundMinimum: 5_000n })
  const payment = await sell(paywall, payer(0), price - 1n)
  paywall.passSeconds(86_401)
  await runRefunds(paywall)
  expect(await statusOf(paywall, payment)).toBe('confirmed')
  expect(await balance(0)).toBe(funds - price + 1n)
})

/** Moves money out of the treasury with a transfer that is not a refund. */
async function drainTreasury(paywall: TestPaywall, value: bigint): Promise<void> {
  const { usdc: asset, treasury } = devnet
  await transferFrom(devnet, treasury.address, { to: coldWallet, value })
  await until(async () => (await paywall.chain.balanceOf(asset, treasury.address)) < price)
}
