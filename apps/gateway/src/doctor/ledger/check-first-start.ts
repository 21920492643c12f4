import { accessSync, constants, existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { sqlitePath } from '@farebox/ledger/sql'
import { databaseClient } from '../../dependencies/database-client.ts'
import type { Finding } from '../finding.ts'
import { poolProblem } from './pool-problem.ts'

/** Whether a first start can create the ledger at this address, which has none. */
export async function checkFirstStart(url: string): Promise<Finding> {
  const path = sqlitePath(url)
  const problem = path === undefined ? await tableProblem(url) : fileProblem(path)
  const missing =
    path === undefined
      ? 'PostgreSQL has no ledger: the first start creates its tables'
      : `there is no ledger at ${path}: the first start creates it`
  return problem ?? { verdict: 'note', subject: 'database', message: missing }
}

/** Why no table can be created in the database. */
async function tableProblem(url: string): Promise<Finding | undefined> {
  const problem = await poolProblem(url)
  if (problem !== undefined) return problem
  const client = await databaseClient(url)
  try {
    await client.connect()
    const { rows } = await client.query<{ writes: boolean; creates: boolean | null }>(
      `select current_setting('transaction_read_only') = 'off' as writes,
        has_schema_privilege(current_schema(), 'CREATE') as creates`,
    )
    if (rows[0]?.writes !== true) throw new Error('PostgreSQL is read-only')
    return rows[0].creates === true ? undefined : noPrivilege
  } finally {
    await client.end()
  }
}

const noPrivilege: Finding = {
  verdict: 'wrong',
  subject: 'database',
  message: 'PostgreSQL: the role of DATABASE_URL may not create tables',
  fix: 'let it own the database: ALTER DATABASE … OWNER TO …',
}

/** Why no file can be created at the path, with the folders that are missing. */
function fileProblem(path: string): Finding | undefined {
  let folder = dirname(resolve(path))
  while (!existsSync(folder)) folder = dirname(folder)
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return undefined
  } catch {
    const fix = 'give this user the folder, or set DATABASE_URL or DATA_DIR to another place'
    return { verdict: 'wrong', subject: 'database', message: `${folder} cannot be written`, fix }
  }
}
