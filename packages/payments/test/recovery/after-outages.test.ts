import { startDevnet } from '@farebox/devnet'
import { createMemoryStore, type LedgerStore } from '@farebox/ledger'
import { expect, test } from 'vitest'
import { systemTimers } from '../../src/scheduling/timers.ts'
import { usdc } from '../support/pay.ts'
import { serve } from '../support/test-paywall.ts'
import { testPaywallsOn } from '../support/test-paywalls.ts'

const { open, payer } = testPaywallsOn(() => startDevnet())

/** Timers of seconds end when the test passes them; the others by themselves. */
function slowTimers() {
  let now = 0
  let timers: { readonly at: number; readonly callback: () => void }[] = []
  return {
    after(milliseconds: number, callback: () => void) {
      if (milliseconds < 5_000) return systemTimers.after(milliseconds, callback)
      const timer = { at: now + milliseconds, callback }
      timers.push(timer)
      return () => {
        timers = timers.filter((other) => other !== timer)
      }
    },
    waiting: () => timers.length,
    pass(milliseconds: number) {
      now += milliseconds
      const due = timers.filter(({ at }) => at <= now)
      timers = timers.filter(({ at }) => at > now)
      for (const { callback } of due) callback()
    },
  }
}

/** Serves a payment during a recovery whose rounds and heartbeats are 5 and 10 seconds apart. */
async function serveBesideRecovery(store: LedgerStore) {
  const timers = slowTimers()
  const paywall = open({ store, timers, policy: { recoveryPollMs: 5_000 } })
  /** The heartbeat of the leases and the next round, which each arm themselves again. */
  const bothWait = () => expect.poll(timers.waiting).toBe(2)
  const payment = await serve(paywall, payer(0))
  paywall.recovery.start()
  await bothWait()
  return {
    paywall,
    async pass(seconds: number) {
      for (let passed = 0; passed < seconds; passed += 5) {
        paywall.passSeconds(5)
        timers.pass(5_000)
        await bothWait()
      }
    },
    /** Starts another replica now. Its first round has ended when the promise resolves. */
    async startAnother(known: LedgerStore, seconds: number) {
      const rounds = Promise.withResolvers<undefined>()
      const another = open({
        owner: 'another',
        store: known,
        timers: {
          after(milliseconds, callback) {
            rounds.resolve(undefined)
            return systemTimers.after(milliseconds, callback)
          },
        },
      })
      another.passSeconds(seconds)
      another.recovery.start()
      await rounds.promise
      await another.recovery.stop()
    },
    async complete() {
      await paywall.recovery.stop()
      const outcome = { cost: usdc(4_000n), usage: null, answer: null }
      return (await paywall.gate.complete(payment, outcome)).payment
    },
  }
}

test('a service that outlives an outage of the store longer than its lease is not taken for interrupted', async () => {
  const known = createMemoryStore()
  let isDown = false
  const store = new Proxy(known, {
    get: (target, name, receiver) =>
      isDown
        ? async () => Promise.reject(new Error('the store is down'))
        : Reflect.get(target, name, receiver),
  })
  const { pass, complete } = await serveBesideRecovery(store)
  isDown = true
  await pass(60)
  isDown = false
  await pass(60)
  expect(await complete()).toMatchObject({ status: 'completed', cost: 4_000n })
})

test('nor does a replica take it for interrupted that starts as the outage ends', async () => {
  const known = createMemoryStore()
  const { startAnother, complete } = await serveBesideRecovery(known)
  await startAnother(known, 60)
  expect(await complete()).toMatchObject({ status: 'completed', cost: 4_000n })
})

test.each([600, -600, 7_200])(
  'nor is one during which the clock was set by %d seconds',
  async (seconds) => {
    const { paywall, pass, complete } = await serveBesideRecovery(createMemoryStore())
    await pass(20)
    paywall.passSeconds(seconds)
    await pass(60)
    expect(await complete()).toMatchObject({ status: 'completed', cost: 4_000n })
  },
)
