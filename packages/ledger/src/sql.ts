export { type OpenLedgerOptions, openLedger } from './sql/open-ledger.ts'
export { createFolder } from './sql/sqlite/create-folder.ts'
export type { LedgerNotice } from './sql/sqlite/ledger-notice.ts'
export { sqlitePath } from './sql/sqlite/sqlite-path.ts'
