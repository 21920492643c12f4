import {
  burningWallet,
  type Devnet,
  type DevnetAccount,
  delegateTo,
  flippingWallet,
  startDevnet,
} from '@farebox/devnet'
import { createMemoryStore, type Hex, type LedgerStore } from '@farebox/ledger'
import { sellByChannel } from '@farebox/payments/parts'
import { expect, test } from 'vitest'
import { callFor, presentCall, refusalOf, signCall } from '../../support/channel-payment.ts'
import { usdc } from '../../support/pay.ts'
import { admitted, type TestPaywall } from '../../support/test-paywall.ts'
import { testPaywallsOn } from '../../support/test-paywalls.ts'

let devnet: Devnet
const { open, freshPayer } = testPaywallsOn(async () => {
  devnet = await startDevnet({ payers: 14 })
  return devnet
})

const ceiling = 1_000n
const deposit = 100_000n

function openShop(options: Parameters<typeof open>[0] = {}): TestPaywall {
  return open({ channels: sellByChannel(), ...options })
}

test('deposits of one payer are limited', async () => {
  const paywall = openShop({ channels: sellByChannel({ policy: { depositsPerPayer: 1 } }) })
  const payer = freshPayer()
  admitted(await presentCall(paywall, payer, { ceiling, deposit }))
  const salt: Hex = `0x${'1'.repeat(64)}`
  const other = await presentCall(paywall, payer, { ceiling, deposit, config: { salt } })
  expect(refusalOf(other)).toContain('too_many_deposits')
  expect(other).toMatchObject({
    body: { message: expect.stringContaining('with the exact scheme') },
  })
})

test('deposits of one payer at once are limited too', async () => {
  const paywall = openShop({ channels: sellByChannel({ policy: { depositsPerPayer: 2 } }) })
  const payer = freshPayer()
  const salts = Array.from({ length: 6 }, (_, place): Hex => `0x${`${place}`.repeat(64)}`)
  const presented = await Promise.all(
    salts.map((salt) => presentCall(paywall, payer, { ceiling, deposit, config: { salt } })),
  )
  const refused = presented.filter(({ status }) => status !== 'settled')
  expect(refused).toHaveLength(4)
  for (const one of refused) expect(refusalOf(one)).toContain('too_many_deposits')
})

test('a deposit that the ledger could not claim takes no place', async () => {
  const store = createMemoryStore()
  const state = { isDown: true }
  const claimDeposit: LedgerStore['claimDeposit'] = async (...claim) => {
    if (state.isDown) throw new Error('the database is down')
    return await store.claimDeposit(...claim)
  }
  const channels = sellByChannel({ policy: { depositsPerPayer: 1 } })
  const paywall = openShop({ channels, store: { ...store, claimDeposit } })
  const payer = freshPayer()
  expect(await presentCall(paywall, payer, { ceiling, deposit })).toMatchObject({
    status: 'unavailable',
    code: 'payments_unavailable',
  })
  state.isDown = false
  admitted(await presentCall(paywall, payer, { ceiling, deposit }))
})

test('deposits of payers whose code lies are limited by network address, like their payments', async () => {
  const paywall = openShop({ policy: { revertsPerAddress: 2 } })
  const sent = async (): Promise<number> =>
    Number(await devnet.rpc('eth_getTransactionCount', [devnet.relayer.address, 'latest']))
  const present = async (payer: DevnetAccount, clientAddress: string) => {
    const { headers } = await signCall(paywall, payer, { ceiling, deposit })
    return await paywall.gate.admit({ ...callFor(headers, { ceiling }), clientAddress })
  }
  const lying = Array.from({ length: 4 }, freshPayer)
  for (const [place, { address }] of lying.entries()) {
    await delegateTo(devnet, address, flippingWallet(20_000 + place))
  }
  const before = await sent()
  const atOnce = await Promise.all(lying.slice(0, 3).map((payer) => present(payer, '192.0.2.1')))
  expect(atOnce.filter((one) => one.status === 'unavailable')).toMatchObject([
    { code: 'payments_unavailable' },
  ])
  expect(await sent()).toBe(before + 2)
  expect(refusalOf(await present(lying[3]!, '192.0.2.1'))).toContain('payer_refused')
  expect(await sent()).toBe(before + 2)
  admitted(await present(freshPayer(), '192.0.2.1'))
})

test('above half of the limit of all, a new payer is refused before its deposit, and sold what it has room for', async () => {
  const policy = { maxUnclaimedTotal: usdc(3_000n), newPayers: 5n }
  const paywall = openShop({ channels: sellByChannel({ policy }) })
  admitted(await presentCall(paywall, freshPayer(), { ceiling, deposit }))
  paywall.passSeconds(2)
  const payer = freshPayer()
  const refused = await presentCall(paywall, payer, { ceiling, deposit })
  expect(refusalOf(refused)).toContain('channel_payer_limit_reached')
  expect(refusalOf(refused)).toContain('exact')
  expect(await devnet.usdcBalance(payer.address)).toBe(1_000_000_000n)
  admitted(await presentCall(paywall, payer, { ceiling: 400n, deposit }))
  const second = await presentCall(paywall, payer, { base: 400n, ceiling: 200n, digest: 'b' })
  expect(refusalOf(second)).toContain('channel_payer_limit_reached')
})

test('a deposit of an account with code may use the gas of a wallet, although a key signs it', async () => {
  const payer = freshPayer()
  await delegateTo(devnet, payer.address, burningWallet(330_000))
  expect(await presentCall(openShop(), payer, { ceiling, deposit })).toMatchObject({
    status: 'settled',
  })
})

test('deposits of code that uses much gas and agrees are limited by network address', async () => {
  const paywall = openShop({ policy: { unservedPerAddress: 1 } })
  const present = async (clientAddress: string) => {
    const payer = freshPayer()
    await delegateTo(devnet, payer.address, burningWallet(330_000))
    const { headers } = await signCall(paywall, payer, { ceiling, deposit })
    return await paywall.gate.admit({ ...callFor(headers, { ceiling }), clientAddress })
  }
  admitted(await present('192.0.2.1'))
  expect(await present('192.0.2.1')).toMatchObject({
    status: 'rejected',
    body: { message: expect.stringContaining('used more gas than their calls paid for') },
  })
  admitted(await present('192.0.2.2'))
})
