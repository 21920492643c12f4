import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { createSharedRead } from '../../src/sql/sqlite/shared-read.ts'
import { sqliteTestLedger } from './test-ledgers.ts'

test('reads of one moment see the same, and the next see what was committed meanwhile', async () => {
  const ledger = await sqliteTestLedger()
  try {
    await (await ledger.open()).close()
    const path = ledger.url.replace('sqlite:', '')
    const [database, other] = [new Database(path), new Database(path)]
    const reads = createSharedRead(database)
    const beats = database.prepare('select count(*) from heartbeat').pluck()
    const read = (): unknown => {
      reads.begin()
      return beats.get()
    }

    const first = read()
    other.exec('insert into heartbeat (id, beats) values (1, 1)')
    expect([first, read()]).toEqual([0, 0])
    await new Promise((resolve) => setImmediate(resolve))
    expect(database.inTransaction).toBe(false)
    expect(read()).toBe(1)
    reads.end()
    expect(database.inTransaction).toBe(false)
    database.close()
    other.close()
  } finally {
    await ledger.dispose()
  }
})
