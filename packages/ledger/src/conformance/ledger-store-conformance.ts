import { answerCases } from './answer-cases.ts'
import { claimCases } from './claim-cases.ts'
import type { ConformanceTools, LedgerPlace } from './conformance-case.ts'
import { exportCases } from './export-cases.ts'
import { leaseCases } from './lease-cases.ts'
import { refundTransferCases } from './refund-cases.ts'
import { transitionCases } from './transition-cases.ts'

/**
 * Registers the tests that every `LedgerStore` passes, each on a place of its own.
 *
 * @example
 * ledgerStoreConformance({ test, expect }, createPlace)
 */
export function ledgerStoreConformance(
  { test, expect }: ConformanceTools,
  createPlace: () => Promise<LedgerPlace>,
): void {
  const cases = [
    ...claimCases,
    ...transitionCases,
    ...answerCases,
    ...leaseCases,
    ...refundTransferCases,
    ...exportCases,
  ]
  for (const { name, run } of cases) {
    test(name, async () => {
      const place = await createPlace()
      try {
        await run({ store: await place.open(), other: await place.open() }, expect)
      } finally {
        await place.dispose()
      }
    })
  }
}
