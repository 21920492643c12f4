import { expect, test } from 'vitest'
import { exported, faultsOf } from '../../src/conformance/fixtures.ts'
import type { SqlPlace } from './places.ts'
import { startWriter } from './writer-process.ts'

/** What a store keeps when its process is killed, and when several processes share it. */
export function durabilityCases(createPlace: () => Promise<SqlPlace>): void {
  test('no acknowledged claim is lost to kill -9', async () => {
    const place = await createPlace()
    const acknowledged: string[] = []
    try {
      for (const [round, lines] of [30, 75, 150].entries()) {
        const writer = startWriter({ url: place.url, first: round * 10_000, width: 8 })
        await writer.said(lines)
        await writer.kill()
        acknowledged.push(...writer.lines.filter((line) => line.startsWith('claimed ')))
      }
      const store = await place.open()
      const kept = new Set((await exported(store)).map(({ payment }) => `claimed ${payment.id}`))
      expect(acknowledged.filter((line) => !kept.has(line))).toEqual([])
      expect(acknowledged.length).toBeGreaterThan(250)
      expect(await faultsOf(store)).toEqual([])
    } finally {
      await place.dispose()
    }
  })

  test('two processes share it: each payment is claimed by one of them', async () => {
    const place = await createPlace()
    try {
      const writers = [0, 0].map((first) => startWriter({ url: place.url, first, width: 4 }))
      await Promise.all(writers.map((writer) => writer.said(150)))
      await Promise.all(writers.map((writer) => writer.kill()))
      const claimed = writers
        .flatMap(({ lines }) => lines)
        .filter((line) => line.startsWith('claimed '))
      expect(new Set(claimed).size).toBe(claimed.length)
      const kept = (await exported(await place.open())).map(
        ({ payment }) => `claimed ${payment.id}`,
      )
      expect(claimed.filter((line) => !kept.includes(line))).toEqual([])
      expect(new Set(kept).size).toBe(kept.length)
    } finally {
      await place.dispose()
    }
  })
}
