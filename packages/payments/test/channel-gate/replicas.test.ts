import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDevnet } from '@farebox/devnet'
import type { LedgerStore } from '@farebox/ledger'
import { openLedger } from '@farebox/ledger/sql'
import { sellByChannel } from '@farebox/payments/parts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasPostgres, startPostgres } from '../../../../scripts/testing/postgres.ts'
import { callFor, signCall } from '../support/channel-payment.ts'
import { usdc } from '../support/pay.ts'
import { admitted, type TestPaywall } from '../support/test-paywall.ts'
import { funds, testPaywallsOn } from '../support/test-paywalls.ts'

const { open, freshPayer } = testPaywallsOn(() => startDevnet({ payers: 20 }))

const ceiling = 1_000n
const deposit = 20_000n

type Database = { readonly url: string; remove(): Promise<void> }

async function sqliteFile(): Promise<Database> {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-channel-replicas-'))
  const remove = async () => {
    rmSync(folder, { recursive: true, force: true })
  }
  return { url: `sqlite:${join(folder, 'ledger.db')}`, remove }
}

async function postgresServer(): Promise<Database> {
  const server = await startPostgres()
  return { url: server.url, remove: server.stop }
}

describe('two replicas on one SQLite file', () => {
  replicaCases(sqliteFile)
})

describe.runIf(hasPostgres())('two replicas on one PostgreSQL', () => {
  replicaCases(postgresServer)
})

function replicaCases(start: () => Promise<Database>): void {
  let database: Database
  const stores: LedgerStore[] = []
  const replicas: TestPaywall[] = []

  beforeAll(async () => {
    database = await start()
    for (const owner of ['replica-1', 'replica-2']) {
      const store = await openLedger({ url: database.url, connections: 4 })
      stores.push(store)
      const queue = replicas[0]?.queue
      replicas.push(
        open({
          store,
          owner,
          channels: sellByChannel({ policy: { turnMs: 1, maxTurnWaitMs: 10 } }),
          ...(queue !== undefined && { queue }),
        }),
      )
    }
  })
  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close()))
    await database.remove()
  })

  /** Presents requests at the same moment, each at the next replica; the statuses of those served. */
  async function presentAll(requests: readonly ReturnType<typeof callFor>[]) {
    const admissions = await Promise.all(
      requests.map((request, index) => replicas[index % 2]!.gate.admit(request)),
    )
    return admissions.filter(({ status }) => status === 'settled').map(admitted)
  }

  test('a voucher in twelve requests at the same moment is sold once', async () => {
    const payer = freshPayer()
    const first = await signCall(replicas[0]!, payer, { ceiling, deposit })
    const opening = admitted(await replicas[0]!.gate.admit(callFor(first.headers, { ceiling })))
    await replicas[0]!.gate.complete(opening, { cost: usdc(300n), usage: null, answer: null })
    const { headers } = await signCall(replicas[0]!, payer, { base: 300n, ceiling })
    const digests = Array.from({ length: 12 }, (_, index) => (index < 6 ? 'same' : `b${index}`))
    const served = await presentAll(digests.map((digest) => callFor(headers, { ceiling, digest })))
    expect(served).toHaveLength(1)
    expect(await stores[1]!.loadChannel(first.channelId)).toMatchObject({
      charged: 300n,
      reserved: ceiling,
    })
  })

  test('a deposit in eight requests at the same moment is executed once, and sold at most once', async () => {
    const payer = freshPayer()
    const call = await signCall(replicas[0]!, payer, { ceiling, deposit })
    const digests = Array.from({ length: 8 }, (_, index) => (index < 4 ? 'same' : `c${index}`))
    const served = await presentAll(
      digests.map((digest) => callFor(call.headers, { ceiling, digest })),
    )
    // A correction by the other replica may have named its voucher to another request.
    expect(served.length).toBeLessThanOrEqual(1)
    expect(await replicas[0]!.devnet.usdcBalance(payer.address)).toBe(funds - deposit)
    expect(await stores[1]!.loadChannel(call.channelId)).toMatchObject({
      deposited: deposit,
      charged: 0n,
      reserved: ceiling * BigInt(served.length),
    })
  })

  test('vouchers for more than the deposit, at the same moment, are sold up to the deposit', async () => {
    const payer = freshPayer()
    const first = await signCall(replicas[0]!, payer, { ceiling, deposit })
    const opening = admitted(await replicas[0]!.gate.admit(callFor(first.headers, { ceiling })))
    await replicas[0]!.gate.complete(opening, { cost: usdc(ceiling), usage: null, answer: null })
    const bases = Array.from({ length: 24 }, (_, index) => ceiling * BigInt(index + 1))
    const calls = await Promise.all(
      bases.map((base) => signCall(replicas[0]!, payer, { base, ceiling })),
    )
    await presentAll(
      calls.map(({ headers }, index) => callFor(headers, { ceiling, digest: `d${index}` })),
    )
    const channel = await stores[1]!.loadChannel(first.channelId)
    expect(channel!.charged + channel!.reserved).toBeLessThanOrEqual(deposit)
    expect(channel!.reserved).toBeGreaterThan(0n)
  })
}
