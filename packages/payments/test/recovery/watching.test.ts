import { type Devnet, startDevnet } from '@farebox/devnet'
import { createMemoryStore, type LedgerStore } from '@farebox/ledger'
import { expect, test } from 'vitest'
import { price, reload, sell } from '../support/test-paywall.ts'
import { testPaywallsOn } from '../support/test-paywalls.ts'

let devnet: Devnet
const { open, payer } = testPaywallsOn(async () => {
  devnet = await startDevnet()
  return devnet
})

const blockSeconds = 2

/** The confirmations and times of Base. */
const asOnBase = {
  refundConfirmations: 10,
  finalConfirmations: 64,
  refundPollMs: 2_000,
  watchMs: 15_000,
  blockMs: blockSeconds * 1_000,
}

/** Counts what is leased of a store, and its writes to payments and refunds. */
function counting(store: LedgerStore) {
  const counts = { looks: 0, writes: 0 }
  const counted: LedgerStore = {
    ...store,
    leaseUnfinished: async (request) => {
      const leased = await store.leaseUnfinished(request)
      counts.looks += leased.length
      return leased
    },
    leaseRefunds: async (request) => {
      const leased = await store.leaseRefunds(request)
      counts.looks += leased.length
      return leased
    },
    apply: (...write) => {
      counts.writes += 1
      return store.apply(...write)
    },
    applyToRefund: (...write) => {
      counts.writes += 1
      return store.applyToRefund(...write)
    },
    lease: (...write) => {
      counts.writes += 1
      return store.lease(...write)
    },
  }
  return { counts, counted }
}

test('with the blocks of Base, a payment and its refund are looked at four times until they are final', async () => {
  const { counts, counted } = counting(createMemoryStore())
  const paywall = open({ store: counted, policy: asOnBase })
  const payment = await sell(paywall, payer(0), 4_000n)
  paywall.stopClock()
  Object.assign(counts, { looks: 0, writes: 0 })
  const nonce = payment.refund?.nonce ?? '0x'
  let seconds = 0
  for (; seconds < 400; seconds += blockSeconds) {
    await paywall.refunds.runOnce()
    await paywall.recovery.runOnce()
    const { settlementFinal } = await reload(paywall, payment)
    if (settlementFinal && (await counted.loadRefund(nonce))?.status === 'final') break
    await devnet.mine(1)
    paywall.passSeconds(blockSeconds)
  }
  // Of the refund: to send it, and when it is final. Of the payment: when its lease ends, and when it is final.
  expect(counts.looks).toBe(4)
  // Signed, confirmed and final; a lease, and final.
  expect(counts.writes).toBe(5)
  // The refund follows after 10 blocks.
  expect(seconds).toBeLessThanOrEqual((10 + 64 + 3) * blockSeconds)
})

test('a settlement is looked at while its authorization is valid, so that it can be replaced if it vanished', async () => {
  const policy = { ...asOnBase, finalConfirmations: 200 }
  const paywall = open({ policy })
  const payment = await sell(paywall, payer(1), price)
  paywall.passSeconds(34)
  await paywall.recovery.runOnce()
  await devnet.reorg(1)
  const looks: number[] = []
  for (let seconds = 34; seconds < 300; seconds += blockSeconds) {
    const { payments } = await paywall.recovery.runOnce()
    if (payments > 0) looks.push(seconds)
    paywall.passSeconds(blockSeconds)
  }
  expect(looks[0]).toBeGreaterThan(200)
  expect(await reload(paywall, payment)).toMatchObject({
    status: 'completed',
    settlement: { block: expect.any(Number) },
  })
})
