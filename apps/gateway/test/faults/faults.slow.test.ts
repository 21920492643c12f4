import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasPostgres } from '../../../../scripts/testing/postgres.ts'
import { hasRedis } from '../../../../scripts/testing/redis.ts'
import { type FaultStage, parts, startFaultStage } from './fault-stage.ts'
import { faultPage, stableRows } from './fault-table.ts'
import { type FaultOutcome, runFault } from './run-fault.ts'
import type { RunningStage } from './running-stage.ts'
import { canLimitFiles, type SqliteStage, startSqliteStage } from './sqlite-stage.ts'

// A node that is down is in chain-dependency.test.ts, Redis in redis.test.ts, a provider in
// broken-answers.test.ts, a connection to PostgreSQL in postgres-store.test.ts.
const pagePath = join(import.meta.dirname, '../../../../docs/faults.md')
const patience = { timeout: 420_000 }
const answers =
  /^(200|503 (payments_unavailable|settlement_unknown|upstream_(unavailable|timeout)))$/

describe.skipIf(!hasPostgres() || !hasRedis() || !canLimitFiles())('a gateway', () => {
  const outcomes: FaultOutcome[] = []
  const folders: string[] = []
  let stage: FaultStage
  let sqlite: SqliteStage
  let providerHangs: Promise<FaultOutcome>
  beforeAll(async () => {
    stage = await startFaultStage(await newFolder())
    sqlite = await startSqliteStage(await newFolder())
    // The gateway waits minutes for a provider that hangs: meanwhile the other one has the other faults.
    providerHangs = runFault(sqlite, {
      part: 'provider',
      fault: 'hanging',
      payers: [4, 5],
      start: () => sqlite.setProviderFault('hanging'),
      end: () => sqlite.setProviderFault(),
    })
  })
  afterAll(async () => {
    await Promise.all([stage.stop(), sqlite.stop()])
    for (const folder of folders) await rm(folder, { recursive: true, force: true })
  })

  async function newFolder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'farebox-faults-'))
    folders.push(folder)
    return folder
  }

  const cases = parts.flatMap((part) =>
    (['down', 'hanging', 'slow', 'flapping', 'wrong'] as const).map((fault) => ({ part, fault })),
  )
  test.each(cases.map((one, index) => ({ ...one, index })))(
    'sells again after $part was $fault, and keeps both payments',
    patience,
    async ({ part, fault, index }) => {
      const isStarted = part === 'provider' && fault === 'hanging'
      const outcome = isStarted
        ? await providerHangs
        : await runFault(stage, {
            part,
            fault,
            payers: [2 * index, 2 * index + 1],
            start: () => stage.setFault(part, fault),
            end: () => stage.setFault(part),
          })
      outcomes.push(outcome)
      for (const answer of [outcome.first, outcome.later]) expect(answer).toMatch(answers)
    },
  )

  test.each([
    ['locked', [0, 1]],
    ['full', [2, 3]],
  ] as const)(
    'sells again after SQLite was %s, and keeps both payments',
    patience,
    async (fault, payers) => {
      const outcome = await runFault(sqlite, {
        part: 'SQLite',
        fault,
        payers,
        start: () => sqlite.setFault(fault),
        end: () => sqlite.setFault(),
      })
      outcomes.push(outcome)
      for (const answer of [outcome.first, outcome.later]) expect(answer).toMatch(answers)
    },
  )

  test('has no unexplained amount after all faults', patience, async () => {
    for (const running of [stage, sqlite]) {
      await expect.poll(() => open(running), { timeout: 60_000 }).toEqual([])
      const { code, stdout } = await running.run(['audit'])
      expect(stdout).toContain('unexplained: 0 atomic units in 0 findings')
      expect(code).toBe(0)
    }
  })

  test('does what docs/faults.md states', async () => {
    const page = faultPage(outcomes)
    if (process.env['WRITE_FAULTS'] !== undefined) await writeFile(pagePath, page)
    expect(stableRows(page)).toEqual(stableRows(await readFile(pagePath, 'utf8')))
  })
})

/** The payments that are not final: without a cost, or with a refund that has not arrived. */
async function open({ run }: Pick<RunningStage, 'run'>): Promise<readonly string[]> {
  const { stdout } = await run(['ledger', 'export'])
  const lines = stdout.split('\n').filter((line) => line.startsWith('{'))
  const payments = lines.map((line) => JSON.parse(line) as Exported)
  return payments
    .filter(({ status, refund }) => {
      if (status === 'void' || status === 'rejected') return false
      const isServed = status === 'completed' || status === 'failed'
      return !isServed || (refund !== null && refund.status !== 'confirmed')
    })
    .map(({ id, status }) => `${id} ${status}`)
}

type Exported = {
  readonly id: string
  readonly status: string
  readonly refund: { readonly status: string } | null
}
