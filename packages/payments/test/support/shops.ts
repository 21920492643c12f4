import type { Devnet, DevnetAccount } from '@farebox/devnet'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { auditShop, openShop, type Shop, type ShopOptions } from './shop.ts'

/** What each payer of a devnet holds at first. */
export const funds = 1_000_000_000n

export type Shops = {
  open(options?: Omit<ShopOptions, 'devnet'>): Shop
  payer(index: number): DevnetAccount
  /** One that no test of the file has had yet. */
  freshPayer(): DevnetAccount
  balance(index: number): Promise<bigint>
}

/** Shops on the devnet of a test file: both are started before its tests and closed after them. */
export function shopsOn(start: () => Promise<Devnet>): Shops {
  const opened: Shop[] = []
  const { shops, devnet } = onDevnet(start, opened)
  afterAll(async () => {
    for (const shop of opened) shop.close()
    await devnet().stop()
  })
  return shops
}

/** The same, but each test has the chain as it was at first, and its books must agree with it. */
export function auditedShopsOn(start: () => Promise<Devnet>): Shops {
  const opened: Shop[] = []
  const { shops, devnet } = onDevnet(start, opened)
  let snapshot: string
  beforeEach(async () => {
    snapshot = await devnet().snapshot()
  })
  afterEach(async () => {
    const closing = opened.splice(0)
    const audits = await Promise.all(closing.map(auditShop))
    for (const shop of closing) shop.close()
    await devnet().revert(snapshot)
    for (const { unexplained } of audits) expect(unexplained).toEqual([])
  })
  afterAll(() => devnet().stop())
  return shops
}

function onDevnet(start: () => Promise<Devnet>, opened: Shop[]) {
  let started: Devnet | undefined
  let nextPayer = 0
  beforeAll(async () => {
    started = await start()
  })
  const devnet = (): Devnet => {
    if (started === undefined) throw new Error('the devnet starts before the first test')
    return started
  }
  const payer = (index: number): DevnetAccount => devnet().payers[index]!
  const shops: Shops = {
    open(options = {}) {
      const shop = openShop({ devnet: devnet(), ...options })
      opened.push(shop)
      return shop
    },
    payer,
    freshPayer: () => payer(nextPayer++),
    balance: (index) => devnet().usdcBalance(payer(index).address),
  }
  return { devnet, shops }
}
