import { createMemoryStore } from '@farebox/ledger'
import type { PaymentNotice } from '@farebox/payments'
import { expect, test } from 'vitest'
import { createPaymentLeases } from '../../src/gate/payment-leases.ts'
import type { Timers } from '../../src/scheduling/timers.ts'
import { newSale } from '../support/claimed-sale.ts'

const leaseMs = 30_000
const owner = 'replica'

/** A clock that stands still until `pass`, with its timers. */
function manualTime(): { now: () => number; timers: Timers; pass: (ms: number) => Promise<void> } {
  let now = 1_700_000_000_000
  let due: { at: number; run: () => void }[] = []
  const after = (delayMs: number, run: () => void): (() => void) => {
    const timer = { at: now + delayMs, run }
    due.push(timer)
    return () => {
      due = due.filter((each) => each !== timer)
    }
  }
  const pass = async (ms: number): Promise<void> => {
    now += ms
    const ready = due.filter(({ at }) => at <= now)
    due = due.filter(({ at }) => at > now)
    for (const { run } of ready) run()
    await new Promise(setImmediate)
  }
  return { now: () => now, timers: { after }, pass }
}

/** A payment that was claimed here, and the leases of its replica. */
async function claimedPayment() {
  const store = createMemoryStore()
  const { now, timers, pass } = manualTime()
  const notices: PaymentNotice[] = []
  const notify = (notice: PaymentNotice): void => {
    notices.push(notice)
  }
  const ports = { store, owner, leaseMs, clock: now, timers, notify }
  const leases = createPaymentLeases({ ...ports, maxServiceMs: 3_600_000 })
  const lease = { owner, until: leases.until() }
  const { payment } = await store.claim({ ...newSale, createdAt: now(), lease })
  return { store, now, pass, leases, payment, notices }
}

test('a payment in flight keeps a fresh lease, however old its record is', async () => {
  const { store, now, pass, leases, payment } = await claimedPayment()
  leases.enter(payment, 'settling')
  const fresh: boolean[] = []
  for (let second = 0; second < 120; second += 1) {
    await pass(1_000)
    fresh.push(leases.isFresh(payment))
  }
  expect(fresh.filter((each) => !each)).toEqual([])
  expect((await store.load(payment.id))?.lease?.until).toBeGreaterThan(now() + leaseMs / 2)
  leases.leave(payment.id)
  await pass(leaseMs)
  expect(leases.isFresh(payment)).toBe(false)
  expect(leases.isFresh({ ...payment, lease: { owner: 'another', until: now() + leaseMs } })).toBe(
    false,
  )
  leases.close()
})

test('a lease is fresh while more than half of its time is left', async () => {
  const { pass, leases, payment } = await claimedPayment()
  await pass(leaseMs / 2 - 1)
  expect(leases.isFresh(payment)).toBe(true)
  await pass(1)
  expect(leases.isFresh(payment)).toBe(false)
})

test('a lease that another replica took is reported once, and again after it was regained', async () => {
  const { store, now, pass, leases, payment, notices } = await claimedPayment()
  leases.enter(payment, 'serving')
  const lost = { type: 'lease_lost', paymentId: payment.id }
  const taken = { owner: 'another', until: now() + 10 * leaseMs, now: now() + leaseMs }
  expect(await store.lease(payment.id, taken)).toBeDefined()
  for (let second = 0; second < 120; second += 1) await pass(1_000)
  expect(notices).toEqual([lost])
  for (let second = 0; second < 240; second += 1) await pass(1_000)
  expect(leases.isFresh({ ...payment, lease: { owner, until: 0 } })).toBe(true)
  const again = { owner: 'another', until: now() + 10 * leaseMs, now: now() + leaseMs }
  await store.lease(payment.id, again)
  for (let second = 0; second < 120; second += 1) await pass(1_000)
  expect(notices).toEqual([lost, lost])
  leases.close()
})

test('a service that does not end within an hour loses its lease', async () => {
  const { pass, leases, payment } = await claimedPayment()
  leases.enter(payment, 'serving')
  for (let second = 0; second < 3_600; second += 1) await pass(1_000)
  expect(leases.holds(payment.id)).toBe(true)
  for (let second = 0; second < 10; second += 1) await pass(1_000)
  expect(leases.holds(payment.id)).toBe(false)
  leases.close()
})
