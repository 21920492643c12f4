import { describe, expect, test } from 'vitest'
import { ledgerStoreConformance } from '../../src/conformance.ts'
import { createMemoryDisk, createMemoryStore } from '../../src/index.ts'

describe('the store in memory', () => {
  ledgerStoreConformance({ test, expect }, async () => {
    const disk = createMemoryDisk()
    return { open: async () => createMemoryStore({ disk }), dispose: async () => undefined }
  })
})
