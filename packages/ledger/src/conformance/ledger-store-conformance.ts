import { answerCases } from './answer-cases.ts'
import { channelCases } from './channels/channel-cases.ts'
import { claimCases } from './claim-cases.ts'
import type { ConformanceTools, TestLedger } from './conformance-case.ts'
import { exportCases } from './export-cases.ts'
import { freeQuotaCases } from './free-quota-cases.ts'
import { gasCases } from './gas-cases.ts'
import { leaseCases } from './lease-cases.ts'
import { payerFaultCases } from './payer-fault-cases.ts'
import { refundTransferCases } from './refund-cases.ts'
import { reportCases } from './report-cases.ts'
import { transitionCases } from './transition-cases.ts'

/**
 * Registers the tests that every `LedgerStore` must pass, each with a new empty ledger.
 *
 * @example
 * ledgerStoreConformance({ test, expect }, createLedger)
 */
export function ledgerStoreConformance(
  { test, expect }: ConformanceTools,
  createLedger: () => Promise<TestLedger>,
): void {
  const cases = [
    ...claimCases,
    ...transitionCases,
    ...answerCases,
    ...leaseCases,
    ...refundTransferCases,
    ...payerFaultCases,
    ...freeQuotaCases,
    ...gasCases,
    ...exportCases,
    ...reportCases,
    ...channelCases,
  ]
  for (const { name, run } of cases) {
    test(name, async () => {
      const ledger = await createLedger()
      try {
        await run({ store: await ledger.open(), other: await ledger.open() }, expect)
      } finally {
        await ledger.dispose()
      }
    })
  }
}
