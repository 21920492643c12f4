import { sum } from '@farebox/money'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { proofSize } from '../../../../scripts/testing/proof-size.ts'
import { channelErrors, exportedChannels } from '../../src/conformance/channels/channel-fixtures.ts'
import { bookErrors, exported } from '../../src/conformance/fixtures.ts'
import {
  type ChannelRecord,
  channelAmounts,
  createMemoryStore,
  type PaymentRecord,
} from '../../src/index.ts'
import { live, randomHistories } from './random-histories.ts'

test('after every step, deposited = claimed + claimable + held + refundable + returned', async () => {
  const reached = new Set<string>()
  await fc.assert(
    fc.asyncProperty(randomHistories, async (history) => {
      const store = createMemoryStore()
      const short = new Set<string>()
      for (const [index, step] of history.entries()) {
        const result = await live(store, step, index)
        const payments = (await exported(store)).map(({ payment }) => payment)
        for (const channel of await exportedChannels(store)) {
          reached.add(channel.status)
          // Only the chain can take what was promised: by a withdrawal or a reorganization.
          if (/withdraw|lose|refund/.test(step.what)) short.add(channel.id)
          expectConserved(channel, payments, short.has(channel.id))
        }
        reached.add(`${step.what} ${statusOf(result)}`)
        expect([...(await bookErrors(store)), ...(await channelErrors(store))]).toEqual([])
      }
    }),
    { numRuns: proofSize({ quick: 100, all: 3_000 }), seed: 20_261_123 },
  )
  // The histories are varied enough to be meaningful.
  const outcomes = [
    'call held',
    'call taken',
    'call misfit',
    'deposit claimed',
    'deposit deposit_pending',
  ]
  const chain = ['claim applied', 'withdraw applied', 'refund applied', 'lose movement applied']
  const needed = ['opening', 'open', 'closing', 'closed', ...outcomes, ...chain, 'settle recorded']
  expect(needed.filter((one) => !reached.has(one))).toEqual([])
})

/** The parts are recomputed from the channel's payments. */
function expectConserved(
  channel: ChannelRecord,
  payments: readonly PaymentRecord[],
  mayBeShort: boolean,
): void {
  const parts = channelAmounts(channel)
  const { claimed, claimable, held, refundable, returned, uncovered } = parts
  expect(claimed + claimable + held + refundable + returned).toBe(channel.deposited)
  const negative = Object.entries(parts).filter(([, amount]) => amount < 0n)
  expect(
    negative.map(([part]) => part).filter((part) => part !== 'refundable' || !mayBeShort),
  ).toEqual([])
  const calls = payments.filter(
    ({ kind, channelId }) => kind === 'channel_call' && channelId === channel.id,
  )
  const serving = calls.filter(({ status }) => status === 'serving')
  const ceilings = sum(serving.map(({ authorization }) => authorization.value as bigint))
  const costs = sum(calls.map(({ cost }) => cost ?? 0n))
  expect(claimable + held + uncovered).toBe(costs - claimed + ceilings)
  if (!mayBeShort) expect([claimable, held, uncovered]).toEqual([costs - claimed, ceilings, 0n])
}

function statusOf(result: unknown): string {
  if (typeof result === 'string') return result
  return typeof result === 'object' && result !== null ? String(Reflect.get(result, 'status')) : ''
}
