export { type OpenLedgerOptions, openLedger } from './sql/open-ledger.ts'
export type { LedgerNotice } from './sql/sqlite/ledger-notice.ts'
export { sqlitePath } from './sql/sqlite/sqlite-path.ts'
