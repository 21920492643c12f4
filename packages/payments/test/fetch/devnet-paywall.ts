import { type Devnet, payerAccount, startDevnet } from '@farebox/devnet'
import { createMemoryStore } from '@farebox/ledger'
import { atomicUsdc } from '@farebox/money'
import { openPaywall, type Paywall } from '@farebox/payments/fetch'
import { afterAll, beforeAll } from 'vitest'

export type DevnetPaywall = {
  readonly devnet: () => Devnet
  readonly paywall: () => Paywall
  /** The atomic units of USDC that a payer holds. */
  readonly usdcOf: (payer: number) => Promise<bigint>
}

/** What each payer holds at first, in atomic units of USDC. */
export const payerFunds = 1_000_000_000n

/** A paywall on a chain of its test file, with the ledger in memory and every refund sent. */
export function openDevnetPaywall(): DevnetPaywall {
  let devnet: Devnet
  let paywall: Paywall
  beforeAll(async () => {
    devnet = await startDevnet()
    const { rpcUrl, treasury, relayer } = devnet
    paywall = openPaywall({
      network: 'devnet',
      rpcUrl,
      treasuryKey: treasury.privateKey,
      relayerKey: relayer.privateKey,
      refundMinimum: atomicUsdc(1n),
      store: createMemoryStore(),
    })
    paywall.start()
  })
  afterAll(async () => {
    await paywall.close()
    await devnet.stop()
  })
  return {
    devnet: () => devnet,
    paywall: () => paywall,
    usdcOf: (payer) => devnet.usdcBalance(payerAccount(payer).address),
  }
}
