export {
  type ConformanceTools,
  type Expectation,
  type LedgerPlace,
  ledgerStoreConformance,
} from './conformance/ledger-store-conformance.ts'
