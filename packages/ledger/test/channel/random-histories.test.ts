import { sum } from '@farebox/money'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { proofSize } from '../../../../scripts/testing/proof-size.ts'
import { channelErrors } from '../../src/conformance/channels/channel-fixtures.ts'
import { bookErrors, exported, listed } from '../../src/conformance/fixtures.ts'
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
      const errors: string[] = []
      for (const [index, step] of history.entries()) {
        const result = await live(store, step, index)
        const payments = (await exported(store)).map(({ payment }) => payment)
        for (const channel of await listed(store.exportChannels())) {
          reached.add(channel.status)
          // Only the chain can take what was promised: by a withdrawal or a reorganization.
          if (/withdraw|lose|refund/.test(step.what)) short.add(channel.id)
          errors.push(...conservationErrors(channel, payments, short.has(channel.id)))
        }
        reached.add(`${step.what} ${statusOf(result)}`)
        errors.push(...(await bookErrors(store)), ...(await channelErrors(store)))
      }
      // One for each history: an assertion costs more than a step.
      expect(errors).toEqual([])
    }),
    { numRuns: proofSize({ quick: 100, all: 1_500 }), seed: 20_261_123 },
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
function conservationErrors(
  channel: ChannelRecord,
  payments: readonly PaymentRecord[],
  mayBeShort: boolean,
): readonly string[] {
  const parts = channelAmounts(channel)
  const { claimed, claimable, held, refundable, returned, uncovered } = parts
  const negative = Object.entries(parts).filter(
    ([part, amount]) => amount < 0n && (part !== 'refundable' || !mayBeShort),
  )
  const calls = payments.filter(
    ({ kind, channelId }) => kind === 'channel_call' && channelId === channel.id,
  )
  const serving = calls.filter(({ status }) => status === 'serving')
  const ceilings = sum(serving.map(({ authorization }) => authorization.value as bigint))
  const costs = sum(calls.map(({ cost }) => cost ?? 0n))
  const isCovered = claimable === costs - claimed && held === ceilings && uncovered === 0n
  const rules: Readonly<Record<string, boolean>> = {
    'the parts are the deposits':
      claimed + claimable + held + refundable + returned === channel.deposited,
    'no part is negative': negative.length === 0,
    'what is not claimed is what the calls cost or hold':
      claimable + held + uncovered === costs - claimed + ceilings,
    'what was charged and what is held are covered': mayBeShort || isCovered,
  }
  return Object.entries(rules).flatMap(([rule, holds]) => (holds ? [] : [`${channel.id}: ${rule}`]))
}

function statusOf(result: unknown): string {
  if (typeof result === 'string') return result
  return typeof result === 'object' && result !== null ? String(Reflect.get(result, 'status')) : ''
}
