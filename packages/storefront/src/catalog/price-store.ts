import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PriceStore } from '@farebox/catalogs/refresh'

/**
 * Keeps the last good prices in `catalog-prices.json` of a folder; without a folder, they are not
 * kept.
 */
export function openPriceStore(folder: string | undefined): PriceStore {
  if (folder === undefined)
    return { load: () => Promise.resolve(undefined), save: () => Promise.resolve() }
  const path = join(folder, 'catalog-prices.json')
  return {
    load: async () => {
      try {
        return await readFile(path, 'utf8')
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
        throw error
      }
    },
    save: async (text) => {
      await mkdir(folder, { recursive: true })
      // Renaming is atomic: a reader sees the old prices or the new ones, never half of a file.
      const draft = `${path}.${process.pid}`
      await writeFile(draft, text)
      await rename(draft, path)
    },
  }
}
