import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Creates a folder with those above it, one after the other: Node's `recursive` option never returns
 * where the system reports a folder as missing that cannot be created, such as one below `/proc`.
 * Throws Node's error, `EEXIST` if there is a file in its place.
 */
export function createFolder(path: string): void {
  if (isFolder(path)) return
  createFolder(dirname(path))
  try {
    mkdirSync(path)
  } catch (error) {
    // Another process may have created it in between.
    if (!isFolder(path)) throw error
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
