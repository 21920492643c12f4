export type { ConformanceTools, Expectation, TestLedger } from './conformance/conformance-case.ts'
export { ledgerStoreConformance } from './conformance/ledger-store-conformance.ts'
