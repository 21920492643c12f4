import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Creates a folder with those above it, one after the other: Node's own way never ends where the
 * system reports a folder as missing that cannot be created, as under `/proc`.
 */
export function createFolder(path: string): void {
  if (existsSync(path)) return
  createFolder(dirname(path))
  try {
    mkdirSync(path)
  } catch (error) {
    // Another process may have created it in between.
    if (!existsSync(path)) throw error
  }
}
