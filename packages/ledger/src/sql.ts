export { type OpenLedgerOptions, openLedger } from './sql/open-ledger.ts'
