import type { RefundTransfer } from '@farebox/ledger'
import { expect, test } from 'vitest'
import { createTreasuryGrants } from '../../src/refund-worker/treasury-grant.ts'
import { usdc } from '../support/pay.ts'
import { refundTransfer, refundWorld, start } from '../support/refund-world.ts'

const unsigned = (amount: bigint): RefundTransfer =>
  refundTransfer({ status: 'waiting', amount: usdc(amount), signedAt: null })
const signed = (amount: bigint): RefundTransfer => refundTransfer({ amount: usdc(amount) })

/** What is granted to refunds, one after another, out of 10,000 that the treasury holds. */
async function granted(
  refunds: readonly RefundTransfer[],
  maxRefundsPerHour: bigint | null = null,
  refundedInHour = 0n,
) {
  const { ports } = refundWorld([], {
    policy: { maxRefundsPerHour: maxRefundsPerHour === null ? null : usdc(maxRefundsPerHour) },
  })
  const asked: number[] = []
  const refundedSince = async (since: number) => {
    asked.push(since)
    return usdc(refundedInHour)
  }
  const grant = createTreasuryGrants({ ...ports, store: { ...ports.store, refundedSince } })
  const answers: string[] = []
  for (const refund of refunds) answers.push(await grant(refund))
  return { answers, asked }
}

test('refunds are granted as far as the treasury covers them, to the unit', async () => {
  const { answers, asked } = await granted([10_001n, 6_000n, 4_001n, 4_000n, 1n].map(unsigned))
  expect(answers).toEqual([
    'treasury_empty',
    'granted',
    'treasury_empty',
    'granted',
    'treasury_empty',
  ])
  expect(asked).toEqual([])
})

test('what may leave in an hour is granted to the unit, less what has left', async () => {
  const { answers, asked } = await granted(
    [3_001n, 2_000n, 1_001n, 1_000n].map(unsigned),
    5_000n,
    2_000n,
  )
  expect(answers).toEqual(['hourly_cap', 'granted', 'hourly_cap', 'granted'])
  expect(asked).toEqual([start - 3_600_000])
})

test('a refund that was signed before counts against the treasury alone', async () => {
  const { answers } = await granted([signed(4_000n), unsigned(1_000n), signed(5_001n)], 1_000n)
  expect(answers).toEqual(['granted', 'granted', 'treasury_empty'])
})

test('while refunds are paused one is tried after each pause, to the millisecond', () => {
  const { world, ports, notices } = refundWorld()
  const { breaker } = ports
  const admits = (after: number) => {
    world.now += after
    return breaker.admits()
  }
  expect([admits(0), admits(0), breaker.state()]).toEqual([true, true, null])
  breaker.trip('no_gas')
  expect([admits(0), admits(4_999), admits(1), admits(4_999), admits(1)]).toEqual([
    false,
    false,
    true,
    false,
    true,
  ])
  expect(breaker.state()).toEqual({ reason: 'no_gas', since: start })
  expect(notices).toEqual([{ type: 'refunds_paused', reason: 'no_gas' }])
})

test('a pause begins again with each failure, and each reason is reported once', () => {
  const { world, ports, notices } = refundWorld()
  const { breaker } = ports
  breaker.trip('no_gas')
  world.now += 3_000
  breaker.trip('no_gas')
  world.now += 4_999
  expect(breaker.admits()).toBe(false)
  breaker.trip('rpc_down')
  expect(breaker.state()).toEqual({ reason: 'rpc_down', since: start })
  breaker.close()
  breaker.close()
  expect([breaker.admits(), breaker.state()]).toEqual([true, null])
  expect(notices).toEqual([
    { type: 'refunds_paused', reason: 'no_gas' },
    { type: 'refunds_paused', reason: 'rpc_down' },
    { type: 'refunds_resumed', reason: 'rpc_down' },
  ])
})
