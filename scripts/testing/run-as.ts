import { execFileSync } from 'node:child_process'
import { chownSync } from 'node:fs'

/** The account that a server runs under; undefined means the account of this process. */
export type Account = { readonly uid: number; readonly gid: number }

/**
 * PostgreSQL does not run as root, so a root process runs it as `postgres` or `nobody`, which then
 * owns the folder.
 */
export function unprivilegedOwner(folder: string): Account | undefined {
  if (process.getuid?.() !== 0) return undefined
  const account = accountOf('postgres') ?? accountOf('nobody')
  if (account === undefined) return undefined
  chownSync(folder, account.uid, account.gid)
  return account
}

function accountOf(name: string): Account | undefined {
  try {
    return { uid: idOf('-u', name), gid: idOf('-g', name) }
  } catch {
    return undefined
  }
}

function idOf(flag: '-u' | '-g', name: string): number {
  const text = execFileSync('id', [flag, name], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return Number.parseInt(text, 10)
}
