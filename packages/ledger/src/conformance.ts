export type { ConformanceTools, Expectation, LedgerPlace } from './conformance/conformance-case.ts'
export { ledgerStoreConformance } from './conformance/ledger-store-conformance.ts'
