import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createTables } from '../../src/sql/schema/create-tables.ts'

/** The statements that existing databases were created with, spacing aside. */
const digests = {
  sqlite: 'e896a5919ad19e2981acc2aedefe5219c637e8c654efcc8d0606ec83138f1168',
  postgres: '2a9fa1fc08ef23859e0503ca7d4520e7619dd2cd29962abcc903926888c3924d',
} as const

test.each(['sqlite', 'postgres'] as const)(
  'the tables in %s are as first released: a new status or account needs a migration',
  (dialect) => {
    const statements = createTables(dialect).join(';').replaceAll(/\s+/g, ' ')
    expect(createHash('sha256').update(statements).digest('hex')).toBe(digests[dialect])
  },
)
