import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Devnet, startDevnet } from '@farebox/devnet'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runGateway } from '../contract/run-gateway.ts'
import { buy, chatOf } from '../support/buy.ts'
import { openGatewayOn, type TestGateway } from '../support/open-gateway.ts'
import { sweepTreasury } from '../support/sweep-treasury.ts'

let devnet: Devnet
let gateway: TestGateway
beforeAll(async () => {
  devnet = await startDevnet()
  gateway = await openGatewayOn(devnet)
})
afterAll(async () => {
  await gateway.stop()
  await devnet.stop()
})

const audited = (environment: Readonly<Record<string, string>> = {}) =>
  runGateway(['audit'], { DATA_DIR: gateway.folder, RPC_URL: devnet.rpcUrl, ...environment }).ended

test('what the owner moves to an account of theirs is explained; elsewhere it is not', async () => {
  const sold = await buy(gateway, 0, { body: chatOf('Hello.') })
  await sold.text()
  const { cost } = await gateway.refunded(sold.headers.get('x-payment-id') ?? '')
  const earned = BigInt(cost?.usdc ?? '0')
  const [cold, other] = [gateway.payer(8).address, gateway.payer(9).address]
  await sweepTreasury(devnet, cold, earned)

  const strange = await audited({ OWN_ACCOUNTS: other })
  expect(strange.code).toBe(1)
  expect(strange.stdout).toContain(`UNEXPLAINED outbound_without_refund  ${earned} units`)
  const known = await audited({
    OWN_ACCOUNTS: `${other}, ${cold.toUpperCase().replace('0X', '0x')}`,
  })
  expect(known).toMatchObject({ code: 0, stderr: '' })
  expect(known.stdout).toContain(`explained   sweep  ${earned} units`)
})

test('a refund that was paid, and that SQL of the operator marks as written off, is unexplained', async () => {
  const sold = await buy(gateway, 2, { body: chatOf('Hello.') })
  await sold.text()
  const id = sold.headers.get('x-payment-id') ?? ''
  const { refund } = await gateway.refunded(id)
  const database = new Sqlite(join(gateway.folder, 'ledger.sqlite'))
  const setStatus = (status: unknown) =>
    database
      .prepare(
        `update refund_transfer set status = ?
        where nonce = (select refund_nonce from payment where id = ?)`,
      )
      .run(status, id)
  try {
    setStatus('written_off')
    const { code, stdout } = await audited()
    expect(code).toBe(1)
    expect(stdout).toContain(`UNEXPLAINED refund_differs  ${refund?.usdc} units  ${id}  nonce 0x`)
    setStatus('confirmed')
    expect((await audited()).stdout).not.toContain('refund_differs')
  } finally {
    database.close()
  }
})

test('a payment with usage that is not JSON is named, and does not keep audit and doctor from the rest', async () => {
  const sold = await buy(gateway, 3, { body: chatOf('Hello.') })
  await sold.text()
  const id = sold.headers.get('x-payment-id') ?? ''
  await gateway.refunded(id)
  const database = new Sqlite(join(gateway.folder, 'ledger.sqlite'))
  const setUsage = database.prepare('update payment set usage = ? where id = ?')
  const before = database.prepare('select usage from payment where id = ?').pluck().get(id)
  try {
    setUsage.run('{"source":', id)
    const { code, stdout, stderr } = await audited()
    expect([code, stderr]).toEqual([1, ''])
    expect(stdout).toContain(
      `UNEXPLAINED row_corrupt  0 units  the database holds an invalid usage in the row of ${id}: `,
    )
    expect(stdout).toMatch(/^unexplained: /m)
    const folder = { DATA_DIR: gateway.folder, RPC_URL: devnet.rpcUrl }
    expect((await runGateway(['doctor'], folder).ended).stdout).toContain('ok     database')
    const exported = await runGateway(['ledger', 'export'], folder).ended
    expect(exported.stderr).toContain(`an invalid usage in the row of ${id}`)
  } finally {
    setUsage.run(before, id)
    database.close()
  }
})

test('an audit on another chain finds the mistake, and not every payment missing', async () => {
  const { treasury, relayer } = devnet
  const keys = {
    TREASURY_PRIVATE_KEY: treasury.privateKey,
    RELAYER_PRIVATE_KEY: relayer.privateKey,
  }
  const { code, stdout, stderr } = await audited({ NETWORK: 'base', ...keys })
  expect(stderr).toBe(
    'RPC_URL is chain 84532, but NETWORK=base requires chain 8453. Set RPC_URL to a node of this network, or NETWORK to that of the node.\n',
  )
  expect([code, stdout]).toEqual([2, ''])
})

test('audit and doctor with the key of another treasury name both accounts, and audit no missing payment', async () => {
  const sold = await buy(gateway, 1, { body: chatOf('Hello.') })
  await sold.text()
  await gateway.refunded(sold.headers.get('x-payment-id') ?? '')
  const other = gateway.payer(7)
  const { code, stdout, stderr } = await audited({ TREASURY_PRIVATE_KEY: other.privateKey })
  expect(stderr).toBe(
    `The payments of this ledger were made to ${devnet.treasury.address.toLowerCase()}, and the treasury key is that of ${other.address}. Set TREASURY_PRIVATE_KEY or TREASURY_ACCOUNT_MODULE to the account of the ledger, or DATA_DIR or DATABASE_URL to the ledger of the account.\n`,
  )
  expect([code, stdout]).toEqual([2, ''])

  const doctor = runGateway(['doctor'], {
    DATA_DIR: gateway.folder,
    RPC_URL: devnet.rpcUrl,
    TREASURY_PRIVATE_KEY: other.privateKey,
  })
  expect((await doctor.ended).stdout).toMatch(
    /wrong {2}database {5}the payments of this ledger were made to 0x\w{40}, and .+\n +fix: set TREASURY_PRIVATE_KEY /,
  )
})

test('channels in the ledger are audited after the operator has stopped selling from them', async () => {
  const account = gateway.payer(4).address.toLowerCase() as `0x${string}`
  const ends = { payer: account, payerAuthorizer: account, receiver: account }
  const config = { ...ends, receiverAuthorizer: account, token: account, withdrawDelay: 900 }
  const id = `0x${'c'.repeat(64)}` as const
  const terms = { chainId: 84_532, config: { ...config, salt: id } }
  await gateway.store.openChannel({ id, ...terms, seenBlock: 0, createdAt: Date.now() })
  const { code, stdout } = await audited({ CHANNELS: 'off' })
  expect(stdout).toContain(', 1 channel\n')
  expect(stdout).toContain(`UNEXPLAINED channel_differs  0 units  channel ${id}: its terms`)
  expect(code).toBe(1)
})

test('an audit whose ledger cannot be opened stops the chain that it started, and ends', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-'))
  const settings = { DATA_DIR: folder, DATABASE_URL: `sqlite:${folder}` }
  const { child, ended } = runGateway(['audit'], settings)
  try {
    const problem = /^The ledger cannot be opened: .+ To fix it, give this user the file .+\n$/
    expect(await ended).toMatchObject({ code: 1, stderr: expect.stringMatching(problem) })
  } finally {
    child.kill('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  }
})
