import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDevnet } from '@farebox/devnet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runGateway } from '../contract/run-gateway.ts'
import { buy, chatOf } from '../support/buy.ts'
import { openGatewayOn } from '../support/open-gateway.ts'

// Starts three gateways and eight commands. copy-ledger.test.ts proves the copy itself.

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-backup-'))
})
afterAll(() => rm(folder, { recursive: true }))

const ledgerCommand = (words: readonly string[], environment: Readonly<Record<string, string>>) =>
  runGateway(['ledger', ...words], environment).ended

test('a machine is lost after a refund that is not in the backup: the restored ledger is even', async () => {
  const devnet = await startDevnet()
  const backup = join(folder, 'backup.sqlite')
  // Refunds of less than 1 USDC wait, so the backup has one that is owed.
  const waiting = await openGatewayOn(devnet, { REFUND_MIN_USDC: '1' })
  const body = chatOf('Hello.')
  const sold = await buy(waiting, 0, { body })
  await sold.text()
  const id = sold.headers.get('x-payment-id') ?? ''
  expect((await waiting.record(id)).refund?.status).toBe('accruing')
  const made = await ledgerCommand(['backup', backup], { DATA_DIR: waiting.folder })
  expect(made).toMatchObject({ code: 0, stderr: '' })
  expect(made.stdout).toContain('1 payment, the latest change at ')
  expect((await stat(backup)).mode & 0o777).toBe(0o600)
  await waiting.stop()

  const sent: string[] = []
  for (const name of ['sends the refund, and is lost', 'has the backup alone']) {
    const files = join(folder, name)
    const restored = await ledgerCommand(['restore', backup], { DATA_DIR: files })
    expect(restored).toMatchObject({ code: 0, stderr: '' })
    const gateway = await openGatewayOn(devnet, {
      DATABASE_URL: `sqlite:${join(files, 'ledger.sqlite')}`,
    })
    const { refund } = await gateway.refunded(id)
    sent.push(refund?.transaction ?? '')
    const database = { DATABASE_URL: `sqlite:${join(files, 'ledger.sqlite')}` }
    const audit = await runGateway(['audit'], {
      DATA_DIR: gateway.folder,
      RPC_URL: devnet.rpcUrl,
      ...database,
    }).ended
    expect(audit).toMatchObject({ code: 0, stderr: '' })
    expect(audit.stdout).toContain('unexplained: 0 atomic units in 0 findings')
    await gateway.stop()
  }
  await devnet.stop()
  expect(sent[0]).toMatch(/^0x/)
  expect(sent[1]).toBe(sent[0])
})

test('nothing is overwritten, and nothing but a ledger is copied', async () => {
  const text = join(folder, 'text.sqlite')
  await writeFile(text, 'not a ledger')
  const data = { DATA_DIR: join(folder, 'none') }
  const runs = await Promise.all([
    ledgerCommand(['restore', text], data),
    ledgerCommand(['restore', text], { DATABASE_URL: `sqlite:${text}` }),
    ledgerCommand(['restore', join(folder, 'missing.sqlite')], data),
    ledgerCommand(['backup', join(folder, 'copy.sqlite')], { DATABASE_URL: `sqlite:${text}` }),
  ])
  expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual([
    [1, `${text} is not a readable ledger. Restore another backup.\n`],
    [1, `Error: ${text} exists. Move it away first\n`],
    [1, `${join(folder, 'missing.sqlite')} does not exist. Restore another backup.\n`],
    [1, expect.stringMatching(/text\.sqlite is not a readable ledger\. Check DATABASE_URL and /)],
  ])
  expect(await readFile(text, 'utf8')).toBe('not a ledger')
})

test('the leftover log of another ledger is never replayed into a restored one', async () => {
  const target = join(folder, 'left.sqlite')
  await writeFile(`${target}-wal`, '')
  const run = await ledgerCommand(['restore', join(folder, 'any')], {
    DATABASE_URL: `sqlite:${target}`,
  })
  expect(run).toMatchObject({
    code: 1,
    stderr: `Error: ${target}-wal exists. Move it away first\n`,
  })
})

test('PostgreSQL has its own tools, and the command names them without the password', async () => {
  const environment = { DATABASE_URL: 'postgres://farebox:secret@127.0.0.1:1/farebox' }
  const { code, stderr } = await ledgerCommand(['backup', 'ledger.dump'], environment)
  expect(code).toBe(2)
  expect(stderr).toContain(
    `(umask 077; pg_dump --format=custom --file='ledger.dump' "$DATABASE_URL")`,
  )
  expect(stderr).not.toContain('secret')
})
