import { createMemoryStore, LedgerError, type OnCorruptRow } from '@farebox/ledger'
import { expect, test } from 'vitest'
import { type CheckedRows, checkRows } from '../../../src/doctor/ledger/check-rows.ts'

const store: CheckedRows = createMemoryStore()

/** An export with a row that cannot be read, and then as many as are taken of others. */
function damaged(message: string) {
  return async function* (onCorrupt?: OnCorruptRow): AsyncGenerator<never> {
    onCorrupt?.(new LedgerError('corrupt_row', message))
    for (;;) yield undefined as never
  }
}

test('a ledger whose rows can all be read has no finding', async () => {
  expect(await checkRows(store, () => 0)).toEqual([])
})

test('rows that cannot be read are named, and reading them ends after ten seconds', async () => {
  let now = 0
  const exportChannels = damaged('an invalid seen_block in the row of 0x1')
  const exportPayments = damaged('an invalid usage in the row of pay_1')
  const findings = await checkRows({ ...store, exportChannels, exportPayments }, () => {
    now += 1_000
    return now
  })
  expect(findings.map(({ verdict, message }) => `${verdict}: ${message}`)).toEqual([
    'wrong: an invalid seen_block in the row of 0x1',
    'wrong: an invalid usage in the row of pay_1',
    'note: not all rows were read within 10 seconds: audit reads them all',
  ])
})
