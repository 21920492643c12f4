export { type OpenLedgerOptions, openLedger } from './sql/open-ledger.ts'
export { sqlitePath } from './sql/sqlite/sqlite-path.ts'
