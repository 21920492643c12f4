import { describe, expect, test } from 'vitest'
import { channelCases } from '../../src/conformance/channels/channel-cases.ts'
import { ledgerStoreConformance } from '../../src/conformance.ts'
import { createMemoryDisk, createMemoryStore } from '../../src/index.ts'

describe('the store in memory', () => {
  ledgerStoreConformance({ test, expect }, async () => {
    const disk = createMemoryDisk()
    return { open: async () => createMemoryStore({ disk }), dispose: async () => undefined }
  })

  test.each(channelCases)('$name', async ({ run }) => {
    const disk = createMemoryDisk()
    await run({ store: createMemoryStore({ disk }), other: createMemoryStore({ disk }) }, expect)
  })
})
