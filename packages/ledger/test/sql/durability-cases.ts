import { expect, test } from 'vitest'
import { bookErrors, exported } from '../../src/conformance/fixtures.ts'
import type { SqlTestLedger } from './test-ledgers.ts'
import { startWriter } from './writer-process.ts'

/** Claims survive a killed process, and several processes can share a store. */
export function durabilityCases(createLedger: () => Promise<SqlTestLedger>): void {
  test('no acknowledged claim is lost to kill -9', async () => {
    const ledger = await createLedger()
    const acknowledged: string[] = []
    try {
      for (const [round, lines] of [30, 75, 150].entries()) {
        const writer = startWriter({ url: ledger.url, first: round * 10_000, width: 8 })
        await writer.printed(lines)
        await writer.kill()
        acknowledged.push(...writer.lines.filter((line) => line.startsWith('claimed ')))
      }
      const store = await ledger.open()
      const kept = new Set((await exported(store)).map(({ payment }) => `claimed ${payment.id}`))
      expect(acknowledged.filter((line) => !kept.has(line))).toEqual([])
      expect(acknowledged.length).toBeGreaterThan(250)
      expect(await bookErrors(store)).toEqual([])
    } finally {
      await ledger.dispose()
    }
  })

  test('of two processes that share a store, only one claims each payment', async () => {
    const ledger = await createLedger()
    try {
      const writers = [0, 0].map((first) => startWriter({ url: ledger.url, first, width: 4 }))
      await Promise.all(writers.map((writer) => writer.printed(150)))
      await Promise.all(writers.map((writer) => writer.kill()))
      const claimed = writers
        .flatMap(({ lines }) => lines)
        .filter((line) => line.startsWith('claimed '))
      expect(new Set(claimed).size).toBe(claimed.length)
      const kept = (await exported(await ledger.open())).map(
        ({ payment }) => `claimed ${payment.id}`,
      )
      expect(claimed.filter((line) => !kept.includes(line))).toEqual([])
      expect(new Set(kept).size).toBe(kept.length)
    } finally {
      await ledger.dispose()
    }
  })
}
