import { describe, expect, test } from 'vitest'
import { ledgerStoreConformance } from '../../src/conformance.ts'
import { sqlitePlace } from './places.ts'

describe('the store in SQLite', () => {
  ledgerStoreConformance({ test, expect }, sqlitePlace)
})
