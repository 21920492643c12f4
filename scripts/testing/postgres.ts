import { type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { announceSkip } from './announce-skip.ts'
import { findInVersionedFolders, findOnPath, type VersionedFolder } from './find-binary.ts'
import { freePort } from './free-port.ts'
import { type Account, unprivilegedOwner } from './run-as.ts'

/** A server for tests, with fsync on. */
export type TestPostgres = {
  /** `postgres://…` of an existing database. */
  readonly url: string
  /** Stops the server and removes its files; does nothing with an external server. */
  readonly stop: () => Promise<void>
}

/** Whether `startPostgres` works; if not, a line on standard error says what is missing. */
export function hasPostgres(): boolean {
  if (process.env['TEST_DATABASE_URL'] !== undefined || findPostgres() !== undefined) return true
  announceSkip('PostgreSQL', 'set TEST_DATABASE_URL or install PostgreSQL 15 or later')
  return false
}

/**
 * The server of `TEST_DATABASE_URL`, or a private one on a free port in a new folder.
 * @throws if `hasPostgres()` is false or the server does not start.
 */
export async function startPostgres(): Promise<TestPostgres> {
  const given = process.env['TEST_DATABASE_URL']
  if (given !== undefined) return { url: given, stop: () => Promise.resolve() }
  const binaries = findPostgres()
  if (binaries === undefined) throw new Error('PostgreSQL was not found')
  return startPrivate(binaries)
}

const folders: readonly VersionedFolder[] = [
  { parent: '/usr/lib/postgresql', match: /^(\d+)$/, bin: 'bin' },
  { parent: '/usr', match: /^pgsql-(\d+)$/, bin: 'bin' },
  { parent: '/opt/homebrew/opt', match: /^postgresql@(\d+)$/, bin: 'bin' },
  { parent: '/usr/local/opt', match: /^postgresql@(\d+)$/, bin: 'bin' },
]

function findPostgres(): string | undefined {
  const initdb =
    findOnPath('initdb') ??
    folders
      .map((folder) => findInVersionedFolders(folder, 'initdb'))
      .find((path) => path !== undefined)
  return initdb === undefined ? undefined : dirname(initdb)
}

async function startPrivate(binaries: string): Promise<TestPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-pg-'))
  const place = { folder, account: unprivilegedOwner(folder) }
  const data = join(folder, 'd')
  // The new files need not survive a crash of the machine. The server
  // itself flushes as always.
  const fresh = ['-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--no-sync']
  await run(join(binaries, 'initdb'), fresh, place)

  const port = await freePort()
  const control = join(binaries, 'pg_ctl')
  const options = `-p ${String(port)} -k ${folder} -c listen_addresses=127.0.0.1`
  await run(control, ['-D', data, '-o', options, '-l', join(folder, 'log'), '-w', 'start'], place)

  const endWithUs = (): void => {
    spawnSync(control, ['-D', data, '-m', 'immediate', 'stop'], settings(place))
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', endWithUs)
  return {
    url: `postgres://postgres@127.0.0.1:${String(port)}/postgres`,
    stop: async () => {
      process.off('exit', endWithUs)
      await run(control, ['-D', data, '-m', 'fast', '-w', 'stop'], place)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

type Place = { readonly folder: string; readonly account: Account | undefined }

/** Without inherited pipes: the server that `pg_ctl start` starts would keep them open. */
function settings({ folder, account }: Place): SpawnOptions {
  return { cwd: folder, env: { ...process.env, HOME: folder }, stdio: 'ignore', ...account }
}

async function run(program: string, args: readonly string[], place: Place): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, settings(place))
    child.once('error', reject)
    child.once('exit', (code) => {
      if (code === 0) resolve()
      else reject(new Error(`${program} ${args.join(' ')} exited with ${String(code)}`))
    })
  })
}
