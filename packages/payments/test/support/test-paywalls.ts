import type { Devnet, DevnetAccount } from '@farebox/devnet'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import {
  auditTestPaywall,
  openTestPaywall,
  type TestPaywall,
  type TestPaywallOptions,
} from './test-paywall.ts'

/** The initial balance of each payer of a devnet. */
export const funds = 1_000_000_000n

export type TestPaywalls = {
  open(options?: Omit<TestPaywallOptions, 'devnet'>): TestPaywall
  payer(index: number): DevnetAccount
  /** A payer that no other test of the file uses. */
  freshPayer(): DevnetAccount
  balance(index: number): Promise<bigint>
}

/** Test paywalls on the devnet of a test file: started before its tests, closed after them. */
export function testPaywallsOn(start: () => Promise<Devnet>): TestPaywalls {
  const opened: TestPaywall[] = []
  const { paywalls, devnet } = onDevnet(start, opened)
  afterAll(async () => {
    for (const paywall of opened) paywall.close()
    await devnet().stop()
  })
  return paywalls
}

/** The same, but each test begins with the initial chain, with which its ledger must agree. */
export function auditedTestPaywallsOn(start: () => Promise<Devnet>): TestPaywalls {
  const opened: TestPaywall[] = []
  const { paywalls, devnet } = onDevnet(start, opened)
  let snapshot: string
  beforeEach(async () => {
    snapshot = await devnet().snapshot()
  })
  afterEach(async () => {
    const closing = opened.splice(0)
    const audits = await Promise.all(closing.map(auditTestPaywall))
    for (const paywall of closing) paywall.close()
    await devnet().revert(snapshot)
    for (const { unexplained } of audits) expect(unexplained).toEqual([])
  })
  afterAll(() => devnet().stop())
  return paywalls
}

function onDevnet(start: () => Promise<Devnet>, opened: TestPaywall[]) {
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
  const paywalls: TestPaywalls = {
    open(options = {}) {
      const paywall = openTestPaywall({ devnet: devnet(), ...options })
      opened.push(paywall)
      return paywall
    },
    payer,
    freshPayer: () => payer(nextPayer++),
    balance: (index) => devnet().usdcBalance(payer(index).address),
  }
  return { devnet, paywalls }
}
