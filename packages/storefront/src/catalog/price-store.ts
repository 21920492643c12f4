import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
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
      await makeFolder(folder)
      // Renaming is atomic: a reader sees the old prices or the new ones, never half of a file.
      const draft = `${path}.${process.pid}`
      await writeFile(draft, text)
      await rename(draft, path)
    },
  }
}

/** One folder after the other: Node's own way never ends where none can be created, as under `/proc`. */
async function makeFolder(path: string): Promise<void> {
  if (existsSync(path)) return
  await makeFolder(dirname(path))
  await mkdir(path).catch((error: unknown) => {
    // Another process may have created it in between.
    if (!existsSync(path)) throw error
  })
}
