import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { sqliteTestLedger } from './test-ledgers.ts'

// Waits for as long as an opening does. A file that is free in time: open-ledger.test.ts.
test('a file that another process keeps locked is unavailable', async () => {
  const ledger = await sqliteTestLedger()
  const file = ledger.url.replace('sqlite:', '')
  await (await ledger.open()).close()
  const other = new Database(file)
  other.exec('begin immediate')
  const opened = ledger.open()
  await expect(opened).rejects.toMatchObject({ name: 'LedgerError', code: 'store_unavailable' })
  other.close()
  await ledger.dispose()
})
