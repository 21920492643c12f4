import { setImmediate } from 'node:timers/promises'
import { type Devnet, startDevnet } from '@farebox/devnet'
import type { LedgerStore } from '@farebox/ledger'
import type { AdmissionRequest } from '@farebox/payments'
import type { Facilitator } from '@farebox/payments/chain'
import { type PaywallParts, sellByChannel } from '@farebox/payments/parts'
import { expect, test } from 'vitest'
import {
  callFor,
  channelEntry,
  presentCall,
  refusalOf,
  signCall,
} from '../../support/channel-payment.ts'
import { usdc } from '../../support/pay.ts'
import { admitted, type TestPaywall } from '../../support/test-paywall.ts'
import { testPaywallsOn } from '../../support/test-paywalls.ts'

let devnet: Devnet
const { open, freshPayer } = testPaywallsOn(async () => {
  devnet = await startDevnet({ payers: 30 })
  return devnet
})

const mismatch = 'invalid_batch_settlement_evm_cumulative_amount_mismatch'
const ceiling = 1_000n
const deposit = 100_000n

function openShop(options: Parameters<typeof open>[0] = {}): TestPaywall {
  return open({ channels: sellByChannel(), ...options })
}

async function depositsOf({ store }: TestPaywall): Promise<readonly string[]> {
  const statuses: string[] = []
  for await (const { payment } of store.exportPayments()) {
    if (payment.kind === 'channel_deposit') statuses.push(payment.status)
  }
  return statuses
}

/** A replica whose facilitator waits before it settles, and how often that was asked. */
function slowReplica(options: Parameters<typeof open>[0] = {}) {
  const real = openShop(options)
  const asked = Promise.withResolvers<null>()
  const released = Promise.withResolvers<null>()
  let attempts = 0
  const facilitator: Facilitator = {
    name: 'slow',
    settle: async (payment, signal) => {
      attempts += 1
      asked.resolve(null)
      await released.promise
      return await real.facilitator.settle(payment, signal)
    },
  }
  const paywall = openShop({ store: real.store, facilitator, ...options })
  return {
    paywall,
    asked: asked.promise,
    release: () => released.resolve(null),
    attempts: () => attempts,
  }
}

/** Waits without time passing: each pause moves this replica's clock, and calls back. */
function impatient(onPause: () => Promise<void> = async () => undefined) {
  let waitedMs = 0
  let passSeconds: TestPaywall['passSeconds'] = () => undefined
  const timers: NonNullable<PaywallParts['timers']> = {
    after(milliseconds, callback) {
      if (milliseconds === 50) {
        if (waitedMs > 60_000) throw new Error('it waits forever')
        waitedMs += milliseconds
        passSeconds(milliseconds / 1000)
        void onPause().then(callback)
      }
      return () => undefined
    },
  }
  const openOn = (store: LedgerStore): TestPaywall => {
    const paywall = openShop({ owner: 'replica-2', store, timers })
    passSeconds = (seconds) => paywall.passSeconds(seconds)
    return paywall
  }
  return { openOn, waitedMs: () => waitedMs }
}

test('a deposit that another replica is executing is not sent again while its lease lasts', async () => {
  const { paywall: one, asked, release, attempts } = slowReplica()
  const two = openShop({ owner: 'replica-2', store: one.store, facilitator: one.facilitator })
  const payer = freshPayer()
  const { headers } = await signCall(one, payer, { ceiling, deposit })
  const request = callFor(headers, { ceiling })
  const first = one.gate.admit(request)
  await asked
  const inFlight = { status: 'pending', code: 'payment_in_flight' }
  expect(await one.gate.admit(request)).toMatchObject(inFlight)
  expect(await two.gate.admit(request)).toMatchObject(inFlight)
  expect(attempts()).toBe(1)
  release()
  admitted(await first)
  expect(await two.gate.admit(request)).toMatchObject(inFlight)
  expect(await devnet.usdcBalance(payer.address)).toBe(1_000_000_000n - deposit)
})

test('the identical request executes a deposit whose replica stopped, once its lease has ended', async () => {
  const real = openShop()
  const claimed = Promise.withResolvers<null>()
  const claimDeposit: LedgerStore['claimDeposit'] = async (...claim) => {
    await real.store.claimDeposit(...claim)
    claimed.resolve(null)
    return await new Promise<never>(() => undefined)
  }
  const stopped = openShop({ store: { ...real.store, claimDeposit } })
  const { headers } = await signCall(real, freshPayer(), { ceiling, deposit })
  const request = callFor(headers, { ceiling })
  void stopped.gate.admit(request)
  await claimed.promise
  const next = openShop({ owner: 'replica-2', store: real.store })
  expect(await next.gate.admit(request)).toMatchObject({ code: 'payment_in_flight' })
  next.passSeconds(61)
  admitted(await next.gate.admit(request))
  expect(await depositsOf(next)).toEqual(['completed'])
})

test('a deposit waits for the one that is in flight into its channel, and then is not needed', async () => {
  const { paywall: one, asked, release } = slowReplica()
  const payer = freshPayer()
  const first = presentCall(one, payer, { ceiling, deposit })
  await asked
  const { openOn, waitedMs } = impatient(async () => {
    release()
    await first
  })
  const two = openOn(one.store)
  const second = await presentCall(two, payer, { ceiling, deposit, digest: 'b' })
  expect(refusalOf(second)).toBe(mismatch)
  expect(waitedMs()).toBe(50)
  admitted(await first)
  expect(await depositsOf(one)).toEqual(['completed'])
  expect(await devnet.usdcBalance(payer.address)).toBe(1_000_000_000n - deposit)
})

test('a deposit waits for another one as long as a settlement may take, and then is a 503', async () => {
  const { paywall: one, asked, release } = slowReplica()
  const payer = freshPayer()
  const first = presentCall(one, payer, { ceiling, deposit })
  await asked
  const { openOn, waitedMs } = impatient()
  const two = openOn(one.store)
  const second = await presentCall(two, payer, { ceiling, deposit, digest: 'b' })
  expect(second).toMatchObject({ status: 'pending', code: 'payment_in_flight' })
  expect(waitedMs()).toBeGreaterThan(9_000)
  expect(waitedMs()).toBeLessThanOrEqual(10_050)
  release()
  admitted(await first)
})

test('a deposit behind one whose outcome is unknown is a 503 that states it', async () => {
  const real = openShop()
  const settle: Facilitator['settle'] = async () => ({
    status: 'unknown',
    reason: 'facilitator_timeout',
    transaction: null,
  })
  const paywall = openShop({ store: real.store, facilitator: { name: 'silent', settle } })
  const payer = freshPayer()
  const unknown = { status: 'pending', code: 'settlement_unknown' }
  expect(await presentCall(paywall, payer, { ceiling, deposit })).toMatchObject(unknown)
  const behind = await presentCall(paywall, payer, { ceiling, deposit, digest: 'b' })
  expect(behind).toMatchObject(unknown)
  expect(await depositsOf(paywall)).toEqual(['unknown'])
})

test('when two deposits arrive at once on one replica, one is claimed and the other is corrected', async () => {
  const paywall = openShop()
  const payer = freshPayer()
  const [first, second] = await Promise.all([
    presentCall(paywall, payer, { ceiling, deposit }),
    presentCall(paywall, payer, { ceiling, deposit, digest: 'b' }),
  ])
  admitted(first)
  expect(refusalOf(second)).toBe(mismatch)
  expect(await depositsOf(paywall)).toEqual(['completed'])
})

test.each(['waits for its turn', 'arrives'])(
  'a deposit that %s while the call of another one is held is corrected to a later voucher',
  async (when) => {
    const { store } = openShop()
    const payer = freshPayer()
    const begun = Promise.withResolvers<null>()
    let second: ReturnType<typeof presentCall> | undefined
    const begin = () => {
      second ??= presentCall(paywall, payer, { ceiling, deposit, digest: 'b' })
    }
    let hasPaused = false
    const holdCall: LedgerStore['holdCall'] = async (...call) => {
      if (!hasPaused) {
        hasPaused = true
        begin()
        await begun.promise
        // A correction that does not wait needs no more than this.
        for (let turn = 0; turn < 50; turn += 1) await setImmediate()
      }
      return await store.holdCall(...call)
    }
    const findByAuthorization: LedgerStore['findByAuthorization'] = async (...key) => {
      if (second !== undefined) begun.resolve(null)
      return await store.findByAuthorization(...key)
    }
    const paywall = openShop({ store: { ...store, holdCall, findByAuthorization } })
    const first = presentCall(paywall, payer, { ceiling, deposit })
    if (when !== 'arrives') begin()
    admitted(await first)
    const corrected = (await second)!
    expect(refusalOf(corrected)).toBe(mismatch)
    const standing = { chargedCumulativeAmount: ceiling.toString() }
    expect(channelEntry(corrected).extra['channelState']).toMatchObject(standing)
    expect(await depositsOf(paywall)).toEqual(['completed'])
  },
)

test('a deposit that is not needed is corrected, whether or not its payer could make it', async () => {
  const paywall = openShop()
  const payer = freshPayer()
  admitted(await presentCall(paywall, payer, { ceiling, deposit }))
  const unneeded = { base: ceiling, ceiling, deposit: 2_000_000_000n, digest: 'b' }
  expect(refusalOf(await presentCall(paywall, payer, unneeded))).toBe(mismatch)
})

test('no deposit is taken into a channel from which nothing is sold', async () => {
  const obstacle = async () => 'channels_not_watched' as const
  const paywall = openShop({ channels: sellByChannel({ obstacle }) })
  const admission = await presentCall(paywall, freshPayer(), { ceiling, deposit })
  expect(refusalOf(admission)).toContain('channels_not_watched')
  expect(await depositsOf(paywall)).toEqual([])
})

test('a deposit with another voucher does not pay for a call: its receipt would count it twice', async () => {
  const paywall = openShop()
  const payer = freshPayer()
  const first = await signCall(paywall, payer, { ceiling, deposit })
  const payment = admitted(await paywall.gate.admit(callFor(first.headers, { ceiling })))
  await paywall.gate.complete(payment, { cost: usdc(300n), usage: null, answer: null })
  const again = await presentCall(paywall, payer, {
    base: 300n,
    ceiling,
    digest: 'b',
    forge: ({ channelConfig, voucher }) => ({ ...first.payload, channelConfig, voucher }),
  })
  expect(refusalOf(again)).toBe(mismatch)
  expect(await depositsOf(paywall)).toEqual(['completed'])
})

test('a deposit is executed for a call that an earlier voucher covers to the unit', async () => {
  const paywall = openShop()
  const payer = freshPayer()
  const first = { base: 29_000n, ceiling, deposit: 20_000n }
  const opened = admitted(await presentCall(paywall, payer, first))
  await paywall.gate.complete(opened, { cost: usdc(300n), usage: null, answer: null })
  // 300 and 29,700 are the 30,000 that were signed; this voucher is lower.
  const next = { base: 100n, ceiling: 29_700n, deposit: 20_000n, digest: 'b' }
  admitted(await presentCall(paywall, payer, next))
  expect(await devnet.usdcBalance(payer.address)).toBe(1_000_000_000n - 40_000n)
})

test('a corrected deposit shows no usable voucher to a client that presents a used one', async () => {
  const paywall = openShop({ channels: sellByChannel({ policy: { turnMs: 1 } }) })
  const payer = freshPayer()
  const first = admitted(await presentCall(paywall, payer, { ceiling, deposit }))
  await paywall.gate.complete(first, { cost: usdc(ceiling), usage: null, answer: null })
  const second = admitted(await presentCall(paywall, payer, { base: ceiling, ceiling }))
  await paywall.gate.complete(second, { cost: usdc(ceiling), usage: null, answer: null })
  // The highest voucher: its call failed, so it could pay for another one.
  const failed = admitted(await presentCall(paywall, payer, { base: 2_000n, ceiling: 5_000n }))
  await paywall.gate.fail(failed, { reason: 'upstream_unavailable', answer: null })
  const used = await presentCall(paywall, payer, { ceiling, deposit, digest: 'c' })
  expect(refusalOf(used)).toBe(mismatch)
  expect(channelEntry(used).extra['voucherState']).toMatchObject({ signedMaxClaimable: '7000' })
  const stolen = { base: 2_000n, ceiling: 5_000n, digest: 'd' }
  expect(refusalOf(await presentCall(paywall, payer, stolen))).toBe(mismatch)
})

test('a corrected deposit with a voucher that was never used leaves the shown one usable', async () => {
  const paywall = openShop({ channels: sellByChannel({ policy: { turnMs: 1 } }) })
  const payer = freshPayer()
  const first = admitted(await presentCall(paywall, payer, { ceiling, deposit }))
  await paywall.gate.complete(first, { cost: usdc(ceiling), usage: null, answer: null })
  const second = admitted(await presentCall(paywall, payer, { base: ceiling, ceiling }))
  await paywall.gate.complete(second, { cost: usdc(ceiling), usage: null, answer: null })
  const highest = { base: 2_000n, ceiling: 5_000n }
  const failed = admitted(await presentCall(paywall, payer, highest))
  await paywall.gate.fail(failed, { reason: 'upstream_unavailable', answer: null })
  // Only the payer can sign one.
  const own = await presentCall(paywall, payer, { base: 1n, ceiling, deposit, digest: 'b' })
  expect(channelEntry(own).extra['voucherState']).toMatchObject({ signedMaxClaimable: '7000' })
  admitted(await presentCall(paywall, payer, { ...highest, digest: 'c' }))
})

test('payments in flight may take what a deposit needs: it is a 503, and nothing is sent', async () => {
  const { paywall, asked, release, attempts } = slowReplica()
  const payer = freshPayer()
  const most = { ceiling, deposit: 600_000_000n }
  const first = presentCall(paywall, payer, most)
  await asked
  const config = { salt: `0x${'1'.repeat(64)}` as const }
  const second = await presentCall(paywall, payer, { ...most, config, digest: 'b' })
  expect(second).toMatchObject({ status: 'unavailable', code: 'balance_in_use' })
  expect(attempts()).toBe(1)
  release()
  admitted(await first)
})

test('the call of a deposit that is proven no longer is a 503, and is not held', async () => {
  const paywall = openShop()
  const payer = freshPayer()
  const { headers, channelId } = await signCall(paywall, payer, { ceiling, deposit })
  const request: AdmissionRequest = callFor(headers, { ceiling })
  const call = admitted(await paywall.gate.admit(request))
  await paywall.gate.fail(call, { reason: 'upstream_unavailable', answer: null })
  const prior = await paywall.store.findByAuthorization((await firstDeposit(paywall)).authorization)
  await paywall.store.apply(prior!, { type: 'settlement_lost', at: paywall.clock() })
  expect(await paywall.gate.admit(request)).toMatchObject({ code: 'settlement_unknown' })
  expect(await paywall.store.loadChannel(channelId)).toMatchObject({ reserved: 0n })
})

async function firstDeposit({ store }: TestPaywall) {
  for await (const { payment } of store.exportPayments()) {
    if (payment.kind === 'channel_deposit') return payment
  }
  throw new Error('The ledger has no deposit')
}
