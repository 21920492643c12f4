import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Devnet, startDevnet } from '@farebox/devnet'
import { type Sandbox, startSandbox } from '@farebox/devnet/sandbox'
import { createChainReader } from '@farebox/payments/chain'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  hasPostgres,
  startPostgres,
  type TestPostgres,
} from '../../../../scripts/testing/postgres.ts'
import { openGateway, type TestGateway } from '../support/open-gateway.ts'
import { chatPath, post, type SignedHeaders, signPayment } from '../support/sign-payment.ts'

let devnet: Devnet
let sandbox: Sandbox
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-replicas-'))
  devnet = await startDevnet()
  sandbox = await startSandbox()
})
afterAll(async () => {
  await devnet.stop()
  await sandbox.stop()
  await rm(folder, { recursive: true, force: true })
})

async function openReplicas(databaseUrl: string): Promise<TestGateway[]> {
  const environment = {
    DATA_DIR: folder,
    DATABASE_URL: databaseUrl,
    RPC_URL: devnet.rpcUrl,
    TREASURY_PRIVATE_KEY: devnet.treasury.privateKey,
    RELAYER_PRIVATE_KEY: devnet.relayer.privateKey,
    OPENAI_API_KEY: 'sandbox',
    OPENAI_BASE_URL: sandbox.chatBaseUrl,
  }
  // One after another: in one process, two could deadlock over the lock on a new SQLite file.
  const first = await openGateway(environment)
  return [first, await openGateway(environment), await openGateway(environment)]
}

/** The same authorization in other spellings: letter case, field order, white space, base64 alphabet. */
function reencode({ v2, v1 }: SignedHeaders, index: number): Readonly<Record<string, string>> {
  const header = index % 2 === 0 ? v2['PAYMENT-SIGNATURE'] : v1['X-PAYMENT']
  const name = index % 2 === 0 ? 'PAYMENT-SIGNATURE' : 'X-PAYMENT'
  const text = Buffer.from(header, 'base64').toString()
  const payment: { payload: { authorization: Record<string, string> } } = JSON.parse(text)
  const { authorization } = payment.payload
  const from = index % 4 < 2 ? authorization['from']?.toLowerCase() : authorization['from']
  const nonce =
    index % 8 < 4 ? `0x${authorization['nonce']?.slice(2).toUpperCase()}` : authorization['nonce']
  const respelt = {
    ...payment,
    payload: {
      authorization: {
        nonce,
        ...Object.fromEntries(Object.entries(authorization).toReversed()),
        from,
      },
      ...Object.fromEntries(
        Object.entries(payment.payload).filter(([key]) => key !== 'authorization'),
      ),
    },
  }
  return { [name]: Buffer.from(JSON.stringify(respelt, null, index % 3)).toString('base64') }
}

async function expectSoldOnce(databaseUrl: string, payer: number): Promise<void> {
  const replicas = await openReplicas(databaseUrl)
  try {
    const label = `copies-${payer}`
    const content = `[[sandbox: label=${label} tokens=40 tokens_per_second=100]]`
    const body = {
      model: 'openai/gpt-4.1-mini',
      messages: [{ role: 'user', content }],
      max_tokens: 3000,
    }
    const expensive = { ...body, max_tokens: 30_000 }
    const account = devnet.payers[payer]
    const [first] = replicas
    if (first === undefined || account === undefined) throw new RangeError('no replica or payer')
    const payerAccount = privateKeyToAccount(account.privateKey)
    const signed = await signPayment({ url: first.url, account: () => payerAccount }, payer, {
      body,
    })
    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const replica = replicas[index % replicas.length] ?? first
        const headers = index % 2 === 0 ? signed.v2 : reencode(signed, Math.floor(index / 2))
        const response = await post(replica, chatPath, {
          body: index % 10 === 9 ? expensive : body,
          headers,
        })
        await response.text()
        return { status: response.status, isExpensive: index % 10 === 9 }
      }),
    )
    expect(sandbox.requests.filter((request) => request.label === label)).toHaveLength(1)
    const chain = createChainReader({ rpcUrl: devnet.rpcUrl })
    const inbound = await chain.transfersOf({
      asset: devnet.usdc,
      address: devnet.treasury.address,
      fromBlock: 0,
      toBlock: (await chain.head()).number,
    })
    expect(inbound.filter(({ from }) => from === account.address.toLowerCase())).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
    // An expensive request gets a new price before the claim and an error after it, never a completion.
    expect(
      answers
        .filter(({ isExpensive }) => isExpensive)
        .every(({ status }) => status === 402 || status === 400),
    ).toBe(true)
    expect(answers.every(({ status }) => [200, 400, 402, 503].includes(status))).toBe(true)
  } finally {
    await Promise.all(replicas.map((replica) => replica.stop()))
  }
}

test('200 copies of one authorization over 3 replicas on one SQLite file', async () => {
  await expectSoldOnce(`sqlite:${join(folder, 'shared.sqlite')}`, 0)
})

describe.skipIf(!hasPostgres())('with PostgreSQL', () => {
  let postgres: TestPostgres
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.stop())

  test('200 copies of one authorization over 3 replicas', async () => {
    await expectSoldOnce(postgres.url, 1)
  })
})
