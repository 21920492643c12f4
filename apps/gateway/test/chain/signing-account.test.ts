import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Devnet, startDevnet } from '@farebox/devnet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProblem } from '../../src/commands/start-problem.ts'
import { readConfig } from '../../src/config.ts'
import { buy, chatOf } from '../support/buy.ts'
import { openGatewayOn } from '../support/open-gateway.ts'

const viemAccounts = createRequire(import.meta.url).resolve('viem/accounts')

let devnet: Devnet
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-accounts-'))
  devnet = await startDevnet()
})
afterAll(async () => {
  await devnet.stop()
  await rm(folder, { recursive: true, force: true })
})

/** The path of a module with the account of a key, as one of a KMS would be exported. */
async function moduleOf(key: string): Promise<string> {
  const path = join(folder, `account-${key.slice(2, 10)}.mjs`)
  const code = `import viem from '${pathToFileURL(viemAccounts).href}'
const { address, sign } = viem.privateKeyToAccount('${key}')
export default Promise.resolve({ address, sign })
`
  await writeFile(path, code)
  return path
}

test('payments are settled and refunded with accounts that modules export', async () => {
  const gateway = await openGatewayOn(devnet, {
    TREASURY_ACCOUNT_MODULE: await moduleOf(devnet.treasury.privateKey),
    RELAYER_ACCOUNT_MODULE: await moduleOf(devnet.relayer.privateKey),
  })
  try {
    const response = await buy(gateway, 0, { body: chatOf('Hello') })
    expect(response.status).toBe(200)
    const record = await gateway.refunded(response.headers.get('x-payment-id') ?? '')
    expect(record).toMatchObject({ status: 'completed', refund: { status: 'confirmed' } })
  } finally {
    await gateway.stop()
  }
})

async function problemOf(environment: Readonly<Record<string, string>>): Promise<string> {
  const error = await openGatewayOn(devnet, environment).then(
    async (gateway) => {
      await gateway.stop()
      throw new Error('the gateway started')
    },
    (reason: unknown) => reason,
  )
  const read = readConfig(environment)
  if (read.status === 'invalid') throw new Error(read.problems.join(' '))
  return startProblem(error, read.config)?.message ?? String(error)
}

test('a module that is missing, one without an account, and one account for both: one sentence', async () => {
  const missing = join(folder, 'missing.mjs')
  expect(await problemOf({ TREASURY_ACCOUNT_MODULE: missing })).toMatch(
    /^TREASURY_ACCOUNT_MODULE=\S+missing\.mjs cannot be loaded: /,
  )
  const empty = join(folder, 'empty.mjs')
  await writeFile(empty, 'export default {}')
  expect(await problemOf({ RELAYER_ACCOUNT_MODULE: empty })).toMatch(
    /^RELAYER_ACCOUNT_MODULE=\S+empty\.mjs has no account: its default export must be a viem account/,
  )
  const both = await moduleOf(devnet.relayer.privateKey)
  expect(await problemOf({ TREASURY_ACCOUNT_MODULE: both, RELAYER_ACCOUNT_MODULE: both })).toBe(
    'The relayer must not be the same account as the treasury',
  )
})
