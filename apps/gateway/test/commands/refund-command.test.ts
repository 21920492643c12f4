import { type Devnet, startDevnet } from '@farebox/devnet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { refundCommand } from '../../src/commands/refund.ts'
import { runGateway } from '../contract/run-gateway.ts'
import { buy, chatOf } from '../support/buy.ts'
import { openGatewayOn, type TestGateway } from '../support/open-gateway.ts'

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

const patience = { timeout: 20_000 }
const refund = (...words: readonly string[]) =>
  runGateway(['refund', ...words], { DATA_DIR: gateway.folder }).ended

test('an operator lists a refund that cannot be delivered, writes it off, and retries it', async () => {
  expect(await refund('list')).toEqual({
    code: 0,
    stdout: 'blocked 0 units, written off 0 units\n',
    stderr: '',
  })
  const answer = await buy(gateway, 0, { body: chatOf('Hello.') })
  const id = answer.headers.get('x-payment-id') ?? ''
  await devnet.blacklist(gateway.payer(0).address)
  await answer.text()
  const status = async () => (await gateway.record(id)).refund?.status
  await expect.poll(status, patience).toBe('blocked')

  const owed = (await gateway.record(id)).refund?.usdc ?? ''
  const { stdout } = await refund('list')
  const [line = '', sum] = stdout.split('\n')
  expect(line).toMatch(
    new RegExp(`^0x[0-9a-f]{64}  blocked  blacklisted_payee  .*${owed} units.*for ${id}$`),
  )
  expect(sum).toBe(`blocked ${owed} units, written off 0 units`)

  const nonce = line.slice(0, 66)
  const given = await refund('write-off', nonce.toUpperCase().replace('0X', '0x'))
  expect(given).toMatchObject({ code: 0, stderr: '' })
  expect(given.stdout).toMatch(
    /will be written off\. This happens once its last signature has expired/,
  )
  expect((await refund('list')).stdout).toContain('write_off_requested')
  await devnet.unBlacklist(gateway.payer(0).address)
  const taken = await refund('retry', nonce)
  expect(taken.stdout).toBe(`Refund ${nonce} is owed again and will be sent in the next round.\n`)
  await expect.poll(status, patience).toBe('confirmed')

  expect(await refund('retry', nonce)).toMatchObject({ code: 1 })
  const none = `0x${'0'.repeat(64)}`
  expect(await refund('write-off', none)).toEqual({
    code: 1,
    stdout: `Refund ${none} was not found. Run \`refund list\` for the nonces.\n`,
    stderr: '',
  })
})

test.each([
  [[]],
  [['write-off']],
  [['write-off', 'x']],
  [['list', 'x']],
  [['retry', '0x1', '0x2']],
])('refund %j is not a command', (words) => {
  expect(refundCommand(words)).toBeUndefined()
})

test('an unknown command prints the commands', async () => {
  const ended = await refund('retry')
  expect(ended).toMatchObject({ code: 2, stdout: '' })
  expect(ended.stderr).toMatch(/^Unknown command: refund retry\n(.*\n)* {2}refund write-off NONCE /)
})
