import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Devnet, startDevnet } from '@farebox/devnet'
import type { LedgerStore } from '@farebox/ledger'
import { openLedger } from '@farebox/ledger/sql'
import type { Facilitator } from '@farebox/payments/chain'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasPostgres, startPostgres } from '../../../../scripts/testing/postgres.ts'
import { proofSize } from '../../../../scripts/testing/proof-size.ts'
import { usdc } from '../support/pay.ts'
import {
  admitted,
  auditTestPaywall,
  openTestPaywall,
  payHeaders,
  price,
  reload,
  requestFor,
  runRefunds,
  sell,
  type TestPaywall,
  until,
} from '../support/test-paywall.ts'
import { funds } from '../support/test-paywalls.ts'

type Database = { readonly url: string; remove(): Promise<void> }

async function sqliteFile(): Promise<Database> {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-replicas-'))
  return {
    url: `sqlite:${join(folder, 'ledger.db')}`,
    remove: async () => {
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function postgresServer(): Promise<Database> {
  const server = await startPostgres()
  return { url: server.url, remove: server.stop }
}

describe('three replicas on one SQLite file', () => {
  replicaCases(sqliteFile, proofSize({ quick: 60, all: 300 }))
})

describe.runIf(hasPostgres())('three replicas on one PostgreSQL', () => {
  replicaCases(postgresServer, 60)
})

function replicaCases(open: () => Promise<Database>, payees: number): void {
  let devnet: Devnet
  let database: Database
  const stores: LedgerStore[] = []
  const paywalls: TestPaywall[] = []
  let settlements = 0

  beforeAll(async () => {
    devnet = await startDevnet({ payers: payees + 10 })
    database = await open()
    const base = openTestPaywall({ devnet })
    paywalls.push(base)
    const counting: Facilitator = {
      name: 'counting',
      settle(payment, signal) {
        settlements += 1
        return base.facilitator.settle(payment, signal)
      },
    }
    for (const owner of ['replica-1', 'replica-2', 'replica-3']) {
      const store = await openLedger({ url: database.url, connections: 4 })
      stores.push(store)
      paywalls.push(
        openTestPaywall({ devnet, store, owner, facilitator: counting, queue: base.queue }),
      )
    }
  })
  afterAll(async () => {
    for (const paywall of paywalls) paywall.close()
    await Promise.all(stores.map((store) => store.close()))
    await database.remove()
    await devnet.stop()
  })

  const replica = (index: number): TestPaywall => paywalls[1 + (index % 3)]!
  const payer = (index: number) => devnet.payers[index]!

  test('200 copies, half re-encoded, some for a more expensive request: one settlement, one service', async () => {
    settlements = 0
    const { v1, v2 } = await payHeaders(devnet, payer(0))
    const shouted = { 'payment-signature': respelled(v2['payment-signature']) }
    const expensive = {
      requestDigest: 'd'.repeat(64),
      offers: [{ amount: usdc(77_777n), model: 'sandbox/echo', priceVersion: 'v1' }],
    } as const
    const admissions = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const headers = [v1, v2, shouted, v2][index % 4]!
        const request = index % 10 === 9 ? requestFor(v2, expensive) : requestFor(headers)
        const paywall = replica(index)
        const admission = await paywall.gate.admit(request)
        if (admission.status !== 'settled') return admission.status
        return (await paywall.gate.begin(admission.payment)).status
      }),
    )
    // Before the claim a more expensive request sees an unused authorization, afterwards a spent one.
    expect(admissions.filter((status) => !notAdmitted.has(status))).toEqual(['begun'])
    expect(settlements).toBe(1)
    expect(await devnet.usdcBalance(payer(0).address)).toBe(funds - price)
  })

  test('a settled payment whose replica stopped is resumed by the identical request on another', async () => {
    const { v2 } = await payHeaders(devnet, payer(3))
    const payment = admitted(await replica(0).gate.admit(requestFor(v2)))
    expect((await replica(1).gate.admit(requestFor(v2))).status).toBe('pending')
    await replica(0).gate.abandon(payment, 'client_left')
    expect(admitted(await replica(1).gate.admit(requestFor(v2))).id).toBe(payment.id)
  })

  test('a service that begins while another replica refunds the payment as not resumed is paid', async () => {
    const { v2 } = await payHeaders(devnet, payer(4))
    const payment = admitted(await replica(0).gate.admit(requestFor(v2)))
    await replica(0).gate.abandon(payment, 'service_stopping')
    const reading = Promise.withResolvers<undefined>()
    const served = Promise.withResolvers<undefined>()
    const store: LedgerStore = {
      ...stores[1]!,
      payerFaultsOf: async (id) => {
        reading.resolve(undefined)
        await served.promise
        return await stores[1]!.payerFaultsOf(id)
      },
    }
    const late = openTestPaywall({ devnet, store, owner: 'late', queue: paywalls[0]!.queue })
    late.passSeconds(61)
    const presented = late.gate.admit(requestFor(v2))
    await reading.promise
    const begun = await replica(2).gate.begin(admitted(await replica(2).gate.admit(requestFor(v2))))
    served.resolve(undefined)
    expect(begun.status).toBe('begun')
    expect((await presented).status).toBe('pending')
    const outcome = { cost: usdc(4_000n), usage: null, answer: null }
    const ended = await replica(2).gate.complete(begun.payment, outcome)
    expect(ended.payment).toMatchObject({ status: 'completed', cost: 4_000n })
    late.gate.close()
  })

  test('another replica completes what one has started', async () => {
    const left = openTestPaywall({
      devnet,
      store: stores[0]!,
      owner: 'lost',
      queue: paywalls[0]!.queue,
    })
    // PostgreSQL ends no lease before its own clock does.
    left.passSeconds(-40)
    const settled = admitted(
      await left.gate.admit(requestFor((await payHeaders(devnet, payer(1))).v2)),
    )
    const served = await left.gate.begin(
      admitted(await left.gate.admit(requestFor((await payHeaders(devnet, payer(2))).v2))),
    )
    left.gate.close()
    const [first, second] = [replica(1), replica(2)]
    for (const paywall of [first, second]) paywall.passSeconds(120)
    await Promise.all([first.recovery.runOnce(), second.recovery.runOnce()])
    expect(await reload(first, settled)).toMatchObject({ status: 'failed', reason: 'not_resumed' })
    expect(await reload(first, served.payment)).toMatchObject({ reason: 'service_interrupted' })
    await runRefunds(first)
    expect(await devnet.usdcBalance(payer(1).address)).toBe(funds)
    expect(await devnet.usdcBalance(payer(2).address)).toBe(funds)
  })

  test(`${payees} refunds by three workers with one blocked payee: all others are paid once`, async () => {
    const payers = devnet.payers.slice(10, 10 + payees)
    const queue = payers.entries()
    const sellers = Array.from({ length: 40 }, async () => {
      for (const [index, each] of queue) await sell(replica(index), each, 4_000n)
    })
    await Promise.all(sellers)
    const blocked = payers[23]!
    await devnet.blacklist(blocked.address)
    await until(async () => {
      await Promise.all([0, 1, 2].map((index) => replica(index).refunds.runOnce()))
      return !(await hasUnsent(replica(0)))
    })
    const balances = await Promise.all(payers.map(({ address }) => devnet.usdcBalance(address)))
    expect(balances.filter((balance) => balance === funds - 4_000n)).toHaveLength(payees - 1)
    expect(balances[23]).toBe(funds - price)

    await devnet.unBlacklist(blocked.address)
    for (const index of [0, 1, 2]) replica(index).passSeconds(600)
    await runRefunds(replica(0))
    expect(await devnet.usdcBalance(blocked.address)).toBe(funds - 4_000n)
    const { unexplained } = await auditTestPaywall(replica(0))
    expect(unexplained).toEqual([])
  }, 180_000)
}

const notAdmitted: ReadonlySet<string> = new Set(['pending', 'spent', 'required'])

/** The same payment encoded differently: upper-case hexadecimal, reordered fields, white space. */
function respelled(header: string): string {
  const { payload, accepted, resource } = JSON.parse(Buffer.from(header, 'base64').toString())
  const { authorization, signature } = payload
  const { nonce, from, ...rest } = authorization
  const upper = (hex: string): string => `0x${hex.slice(2).toUpperCase()}`
  const again = {
    payload: {
      authorization: { nonce: upper(nonce), ...rest, from: from.toLowerCase(), extra: 1 },
      signature: upper(signature),
    },
    resource,
    accepted,
    x402Version: 2,
  }
  return Buffer.from(JSON.stringify(again, null, 2)).toString('base64url')
}

async function hasUnsent(paywall: TestPaywall): Promise<boolean> {
  for await (const { status } of paywall.store.exportRefunds()) {
    if (status === 'waiting' || status === 'signed' || status === 'submitted') return true
  }
  return false
}
