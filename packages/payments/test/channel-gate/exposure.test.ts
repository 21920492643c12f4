import { expect, test } from 'vitest'
import { createExposure } from '../../src/channel-gate/exposure.ts'
import { usdc } from '../support/pay.ts'

test('what is charged and in flight and not claimed is read once a second', async () => {
  let now = 0
  const readings = [
    { claimable: usdc(300n), reserved: usdc(70n) },
    { claimable: usdc(0n), reserved: usdc(0n) },
  ]
  const channelTotals = async () => readings.shift() as never
  const exposure = createExposure({ channelTotals }, () => now, usdc(1_000n))
  const amounts: bigint[] = []
  for (now of [5_000, 5_999, 6_000]) amounts.push(await exposure.unclaimed())
  expect(amounts).toEqual([370n, 370n, 0n])
})

test('a reading that failed is repeated', async () => {
  let asked = 0
  const channelTotals = async () => {
    asked += 1
    if (asked === 1) throw new Error('the store is down')
    return { claimable: usdc(1n), reserved: usdc(0n) } as never
  }
  const exposure = createExposure({ channelTotals }, () => 0, usdc(1_000n))
  await expect(exposure.unclaimed()).rejects.toThrow('the store is down')
  expect(await exposure.unclaimed()).toBe(1n)
})

test('calls are held with the limit of all from a quarter of it on', async () => {
  let now = 0
  const channelTotals = async () => ({ claimable: usdc(0n), reserved: usdc(150n) }) as never
  const exposure = createExposure({ channelTotals }, () => now, usdc(1_000n))
  const limits = await Promise.all([40n, 60n, 1n].map((one) => exposure.limitFor(usdc(one))))
  expect(limits).toEqual([null, null, 1_000n])
  now = 1_000
  expect(await exposure.limitFor(usdc(100n))).toBe(null)
})
