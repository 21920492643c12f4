import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const prefix = 'farebox-tests-'
const dayMs = 86_400_000

/**
 * Gives all tests of a run one temporary folder, which is removed at its end, and removes those of runs
 * that were killed a day ago or earlier.
 */
export function setup(): () => void {
  const shared = tmpdir()
  for (const name of readdirSync(shared)) {
    if (name.startsWith(prefix)) removeOld(join(shared, name))
  }
  const folder = mkdtempSync(join(shared, prefix))
  // PostgreSQL runs under another account.
  chmodSync(folder, 0o711)
  process.env['TMPDIR'] = folder
  return () => {
    remove(folder)
  }
}

function removeOld(folder: string): void {
  const changed = statSync(folder, { throwIfNoEntry: false })?.mtimeMs
  if (changed !== undefined && Date.now() - changed > dayMs) remove(folder)
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
}
