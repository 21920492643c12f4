import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createFolder } from '@farebox/ledger/sql'
import Sqlite, { type Database } from 'better-sqlite3'

/** What a copy holds. */
export type CopiedLedger = {
  readonly payments: number
  /** When its newest payment was last changed, in ms since 1970; null without a payment. */
  readonly latest: number | null
}

/**
 * Copies a SQLite ledger as it is at one moment, while others write to it. The copy is checked, then
 * passed to `prepare`, and gets its name only if both succeed. Nothing is overwritten.
 *
 * @throws {CopyLedgerError} `target_exists`, `not_a_ledger`, `not_copied` or `damaged`.
 */
export async function copyLedger(
  source: string,
  target: string,
  prepare: (draft: string) => Promise<void> = () => Promise.resolve(),
): Promise<CopiedLedger> {
  // The leftover log of another ledger would be replayed into this one.
  const taken = [target, `${target}-wal`, `${target}-journal`].find((file) => existsSync(file))
  if (taken !== undefined) throw targetExists(taken)
  createFolder(dirname(target))
  // Processes in two containers can have one number, and a copy that was killed leaves its draft.
  const draft = `${target}.${randomUUID()}.part`
  // It will contain signed payments.
  await (await open(draft, 'wx', 0o600)).close()
  try {
    copySnapshot(source, draft)
    const copied = checkCopy(draft)
    await prepare(draft)
    await flush(draft)
    // Unlike a rename, this fails if the target was created in the meantime.
    await link(draft, target).catch((cause: unknown) => {
      throw isExisting(cause) ? targetExists(target) : cause
    })
    await flush(dirname(target))
    return copied
  } finally {
    await rm(draft, { force: true })
  }
}

function copySnapshot(source: string, draft: string): void {
  const database = openLedgerFile(source)
  try {
    // The backup interface of SQLite starts again with each commit of another process.
    database.prepare('vacuum into ?').run(draft)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const message = `${source} could not be copied to ${dirname(draft)}: ${reason}`
    throw new CopyLedgerError('not_copied', message, { cause })
  } finally {
    database.close()
  }
}

function openLedgerFile(file: string): Database {
  let database: Database | undefined
  try {
    database = new Sqlite(file, { readonly: true, fileMustExist: true })
    database.prepare('select id from payment limit 1').get()
    return database
  } catch (cause) {
    database?.close()
    const what = existsSync(file) ? 'is not a readable ledger' : 'does not exist'
    throw new CopyLedgerError('not_a_ledger', `${file} ${what}`, { cause })
  }
}

function checkCopy(file: string): CopiedLedger {
  const database = openLedgerFile(file)
  try {
    const verdict = database.pragma('integrity_check', { simple: true })
    const orphan = database.pragma('foreign_key_check', { simple: true })
    if (verdict !== 'ok' || orphan !== undefined) {
      throw new CopyLedgerError('damaged', `The ledger is damaged: ${String(verdict)}`)
    }
    const summary = 'select count(*) as payments, max(updated_at) as latest from payment'
    return database.prepare(summary).get() as CopiedLedger
  } finally {
    database.close()
  }
}

async function flush(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

function targetExists(file: string): CopyLedgerError {
  return new CopyLedgerError('target_exists', `${file} exists. Move it away first`)
}

function isExisting(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'EEXIST'
}

function isCorrupt(cause: unknown): boolean {
  return cause instanceof Sqlite.SqliteError && cause.code.startsWith('SQLITE_CORRUPT')
}

/** A ledger cannot be copied; nothing was written under the name of the target. */
export class CopyLedgerError extends Error {
  override readonly name = 'CopyLedgerError'
  readonly code: 'target_exists' | 'not_a_ledger' | 'not_copied' | 'damaged'
  /** Whether the source is damaged or no ledger: otherwise, it is the target that cannot be written. */
  readonly isSourceFault: boolean
  constructor(code: CopyLedgerError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.isSourceFault = code === 'not_a_ledger' || code === 'damaged' || isCorrupt(options?.cause)
  }
}
