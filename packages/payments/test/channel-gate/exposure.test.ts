import { createMemoryStore } from '@farebox/ledger'
import { expect, test } from 'vitest'
import { createExposure } from '../../src/channel-gate/exposure.ts'
import { usdc } from '../support/pay.ts'

const limit = { max: usdc(1_000n), newPayers: 5n }
const { channelsAtRisk } = createMemoryStore()

test('what is charged and in flight and not claimed is read once a second, and after the clock was set back', async () => {
  let now = 0
  const readings = [
    { claimable: usdc(300n), reserved: usdc(70n) },
    { claimable: usdc(0n), reserved: usdc(0n) },
    { claimable: usdc(5n), reserved: usdc(0n) },
  ]
  const channelTotals = async () => readings.shift() as never
  const exposure = createExposure({ channelTotals, channelsAtRisk }, () => now, limit)
  const amounts: bigint[] = []
  for (now of [5_000, 5_999, 6_000, 1_000]) amounts.push(await exposure.unclaimed())
  expect(amounts).toEqual([370n, 370n, 0n, 5n])
})

test('a reading that failed is repeated', async () => {
  let asked = 0
  const channelTotals = async () => {
    asked += 1
    if (asked === 1) throw new Error('the store is down')
    return { claimable: usdc(1n), reserved: usdc(0n) } as never
  }
  const exposure = createExposure({ channelTotals, channelsAtRisk }, () => 0, limit)
  await expect(exposure.unclaimed()).rejects.toThrow('the store is down')
  expect(await exposure.unclaimed()).toBe(1n)
})

test('calls are held with the limit of all from a quarter of it on', async () => {
  let now = 0
  const channelTotals = async () => ({ claimable: usdc(0n), reserved: usdc(150n) }) as never
  const exposure = createExposure({ channelTotals, channelsAtRisk }, () => now, limit)
  const limits = await Promise.all([40n, 60n, 1n].map((one) => exposure.limitFor(usdc(one))))
  expect(limits).toEqual([null, null, limit])
  now = 1_000
  expect(await exposure.limitFor(usdc(100n))).toBe(null)
})

test('the ledger is asked for the share of a payer from a quarter of the limit on', async () => {
  let now = 0
  let reserved = usdc(240n)
  let asked = 0
  const exposure = createExposure(
    {
      channelTotals: async () => ({ claimable: usdc(0n), reserved }) as never,
      channelsAtRisk: async () => {
        asked += 1
        return { inAll: reserved, ofPayer: 0n, claimedOfPayer: 0n }
      },
    },
    () => now,
    limit,
  )
  expect([await exposure.reachedBy('0x1', usdc(10n)), asked]).toEqual([null, 0])
  expect([await exposure.reachedBy('0x1', usdc(11n)), asked]).toEqual([null, 1])
  reserved = usdc(700n)
  now = 1_000
  expect(await exposure.reachedBy('0x1', usdc(60n))).toBe(null)
  expect(await exposure.reachedBy('0x1', usdc(61n))).toBe('of_payer')
  expect(await exposure.reachedBy('0x1', usdc(301n))).toBe('in_all')
})
