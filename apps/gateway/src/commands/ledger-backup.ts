import { existsSync } from 'node:fs'
import { countOf } from '@farebox/api'
import { openLedger } from '@farebox/ledger/sql'
import { ledgerUrl, MissingLedgerError } from '../compose/open-store.ts'
import type { Config } from '../settings.ts'
import { type CopiedLedger, CopyLedgerError, copyLedger } from './copy-ledger.ts'

type Command = (config: Config) => Promise<number>

const work = { backup, restore } as const

/** `ledger backup FILE` and `ledger restore FILE`; `undefined` if the arguments are not valid. */
export function ledgerBackupCommand(args: readonly string[]): Command | undefined {
  const [verb, file, ...more] = args
  if (verb !== 'backup' && verb !== 'restore') return undefined
  if (file === undefined || more.length > 0) return undefined
  return async (config) => {
    const url = ledgerUrl(config)
    if (!url.startsWith('sqlite:')) {
      process.stderr.write(`${postgresAdvice[verb](file)}\n`)
      return 2
    }
    const files = { file, ledger: url.replace(/^sqlite:(\/\/)?/, '') }
    return work[verb](files).catch((error: unknown) => {
      if (!(error instanceof CopyLedgerError && error.isSourceFault)) throw error
      process.stderr.write(`${error.message}. ${sourceAdvice[verb]}\n`)
      return 1
    })
  }
}

const sourceAdvice = {
  backup:
    'Check DATABASE_URL and DATA_DIR. If the ledger is damaged, stop the gateway, move the file away with its -wal and -shm, and restore an earlier backup.',
  restore: 'Restore another backup.',
} as const

type Files = { readonly file: string; readonly ledger: string }

async function backup({ file, ledger }: Files): Promise<number> {
  if (!existsSync(ledger)) throw new MissingLedgerError(`at ${ledger}`)
  const copied = await copyLedger(ledger, file)
  process.stdout.write(`${file} has ${contents(copied)}\n`)
  return 0
}

async function restore({ file, ledger }: Files): Promise<number> {
  // A backup of an earlier version is migrated; one of a later version gets no name.
  const copied = await copyLedger(file, ledger, async (draft) => {
    const store = await openLedger({ url: `sqlite:${draft}` })
    await store.close()
  })
  process.stdout.write(
    `${ledger} has ${contents(copied)}\nStart the gateway with the same keys, then run audit.\n`,
  )
  return 0
}

function contents({ payments, latest }: CopiedLedger): string {
  const until = latest === null ? '' : `, the latest change at ${new Date(latest).toISOString()}`
  return `${countOf(payments, 'payment')}${until}`
}

/** PostgreSQL's own tools copy a running database consistently. A dump has signed payments, as our copy has. */
const postgresAdvice = {
  backup: (file: string) =>
    `The ledger is in PostgreSQL. Run: (umask 077; pg_dump --format=custom --file='${file}' "$DATABASE_URL")`,
  restore: (file: string) =>
    `The ledger is in PostgreSQL. Stop all gateways, create an empty database, and run: pg_restore --exit-on-error --single-transaction --no-owner --dbname="$DATABASE_URL" '${file}'`,
} as const
