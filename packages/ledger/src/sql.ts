export type { LedgerNotice } from './sql/ledger-notice.ts'
export { type OpenLedgerOptions, openLedger } from './sql/open-ledger.ts'
export { sqlitePath } from './sql/sqlite/sqlite-path.ts'
