import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openPriceStore } from '../../src/catalog/price-store.ts'

test('prices are kept in a folder that is created with those above it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-prices-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const below = join(folder, 'some', 'where')
  expect(await openPriceStore(below).load()).toBeUndefined()
  await openPriceStore(below).save('prices')
  expect(await openPriceStore(below).load()).toBe('prices')
})

test.skipIf(!existsSync('/proc'))('a folder that cannot be created is an error', async () => {
  await expect(openPriceStore('/proc/farebox/prices').save('prices')).rejects.toThrow(
    '/proc/farebox',
  )
})
