import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { createPaymentId, type LedgerStore, type NewPayment } from '@farebox/ledger'
import { openLedger } from '@farebox/ledger/sql'
import { parseAtomicUsdc } from '@farebox/money'
import { hasPostgres, startPostgres } from '../../../../scripts/testing/postgres.ts'
import type { Suite } from '../suite.ts'
import { printTable } from '../table.ts'

const CLAIMS = 4000

/** Durable claims per second: what a payment costs before its settlement may be sent. */
export const ledgerCommits: Suite = {
  name: 'ledger-commits',
  question: `durable claims per second, ${CLAIMS} claims, fsync on`,
  run: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'farebox-bench-'))
    try {
      const rows = await measureStore('SQLite', `sqlite:${join(folder, 'ledger.db')}`)
      printTable(['store', 'at once', 'claims/s'], [...rows, ...(await postgresRows())])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

async function postgresRows(): Promise<readonly (readonly string[])[]> {
  if (!hasPostgres()) return []
  const server = await startPostgres()
  try {
    return await measureStore('PostgreSQL', server.url)
  } finally {
    await server.stop()
  }
}

async function measureStore(name: string, url: string): Promise<readonly (readonly string[])[]> {
  const store = await openLedger({ url })
  try {
    await claimMany(store, 64, 500)
    const rows: (readonly string[])[] = []
    for (const atOnce of [1, 16, 64]) {
      const perSecond = await claimMany(store, atOnce, atOnce === 1 ? CLAIMS / 4 : CLAIMS)
      rows.push([name, String(atOnce), String(Math.round(perSecond))])
    }
    return rows
  } finally {
    await store.close()
  }
}

async function claimMany(store: LedgerStore, atOnce: number, total: number): Promise<number> {
  const payments = Array.from({ length: total }, newPayment)
  const started = performance.now()
  const queue = payments.values()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const payment of queue) {
        const { status } = await store.claim(payment)
        if (status !== 'claimed') throw new Error('A fresh authorisation was taken')
      }
    }),
  )
  return (total * 1000) / (performance.now() - started)
}

function newPayment(): NewPayment {
  const now = Date.now()
  return {
    id: createPaymentId(randomBytes(16)),
    network: 'eip155:84532',
    authorization: {
      chainId: 84532,
      asset: '0x036cbd53842c5426634e7929541ec2318f3dcf7e',
      from: `0x${randomBytes(20).toString('hex')}`,
      to: '0x00000000000000000000000000000000000f00d5',
      value: parseAtomicUsdc('12000'),
      nonce: `0x${randomBytes(32).toString('hex')}`,
      validAfter: 0,
      validBefore: Math.floor(now / 1000) + 600,
    },
    payload: '{}',
    requestDigest: randomBytes(32).toString('hex'),
    resource: 'http://127.0.0.1/v1/chat/completions',
    model: 'bench',
    priceVersion: 'bench',
    clientPaymentId: null,
    intentBlock: 1,
    lease: { owner: 'bench', until: now + 60_000 },
    createdAt: now,
  }
}
