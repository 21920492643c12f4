import { type Devnet, startDevnet } from '@farebox/devnet'
import type { PaymentNotice } from '@farebox/payments'
import { beforeEach, expect, test } from 'vitest'
import { executeAuthorization, transferFrom } from '../support/on-chain.ts'
import { type Signing, signAuthorization, usdc } from '../support/pay.ts'
import { coldWallet, price, reload, runRefunds, type Shop, sell } from '../support/shop.ts'
import { funds, shopsOn } from '../support/shops.ts'

let devnet: Devnet
let snapshot: string
const { open, payer } = shopsOn(async () => {
  devnet = await startDevnet()
  snapshot = await devnet.snapshot()
  return devnet
})
beforeEach(async () => {
  await devnet.revert(snapshot)
  snapshot = await devnet.snapshot()
})

async function check(shop: Shop): Promise<readonly PaymentNotice[]> {
  shop.passSeconds(61)
  const before = shop.notices.length
  await shop.refunds.runOnce()
  await shop.treasuryMonitor.runOnce()
  return shop.notices.slice(before).filter(({ type }) => type.startsWith('sales_'))
}

test('sales and refunds as they should be stop nothing', async () => {
  const shop = open()
  expect(await check(shop)).toEqual([])
  await sell(shop, payer(0), 4_000n)
  await sell(shop, payer(1), 0n)
  expect(await check(shop)).toEqual([])
  await runRefunds(shop)
  expect(await check(shop)).toEqual([])
  // All that is left in the treasury is earned: its owner may take it.
  await transferFrom(devnet, devnet.treasury.address, { to: payer(5).address, value: 1_000n })
  // Without gas of its own, a treasury's owner signs, and somebody else sends.
  await executeAuthorization(devnet, await signedByTreasury({ value: 3_000n, to: coldWallet }))
  expect(await check(shop)).toEqual([])
})

test('a treasury that holds less than it owes stops sales until it is topped up; refunds go on', async () => {
  const shop = open({ policy: { refundConfirmations: 4 } })
  const large = await sell(shop, payer(0), 0n)
  const small = await sell(shop, payer(1), 9_000n)
  expect(await check(shop)).toEqual([])
  await transferFrom(devnet, devnet.treasury.address, { to: coldWallet, value: 15_000n })
  expect(await check(shop)).toEqual([
    { type: 'sales_stopped', reason: 'treasury_short', balance: 5_000n, owed: 11_000n },
  ])
  expect(await check(shop)).toEqual([])
  await devnet.mine(4)
  await runRefunds(shop)
  expect((await reload(shop, small)).refund?.status).toBe('confirmed')
  expect((await reload(shop, large)).refund?.status).toBe('blocked')

  await devnet.mint(devnet.treasury.address, 6_000n)
  expect(await check(shop)).toEqual([{ type: 'sales_resumed', reason: 'treasury_short' }])
  await runRefunds(shop)
  expect((await reload(shop, large)).refund?.status).toBe('confirmed')
})

test('a transfer by the treasury that the ledger does not know stops sales for good', async () => {
  const shop = open()
  await sell(shop, payer(0), price)
  await check(shop)
  await executeAuthorization(devnet, await signedByTreasury({ value: 7_000n }))
  expect(await check(shop)).toMatchObject([{ type: 'sales_stopped', reason: 'refund_unknown' }])
  await devnet.mint(devnet.treasury.address, funds)
  expect(await check(shop)).toEqual([])
  // Another process begins with what it sees: to start it again is to have looked.
  expect(await check(open({ store: shop.store }))).toEqual([])
})

test('a refund that left with another amount stops sales', async () => {
  const shop = open({ policy: { maxRefund: usdc(1n) } })
  const payment = await sell(shop, payer(0), 4_000n)
  await check(shop)
  const { refund } = await reload(shop, payment)
  await executeAuthorization(
    devnet,
    await signedByTreasury({ value: 6_001n, nonce: refund!.nonce! }),
  )
  const stops = await check(shop)
  expect(stops).toContainEqual(expect.objectContaining({ reason: 'refund_differs' }))
})

/** What somebody signs who has the treasury's key, or a fault of ours. */
async function signedByTreasury(signing: Partial<Signing> & { readonly value: bigint }) {
  return await signAuthorization({ signer: devnet.treasury, to: payer(0).address, ...signing })
}
