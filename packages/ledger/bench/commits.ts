// Claims and complete payments per second, one at a time and concurrently: what group commit gains.
// node --conditions=farebox-source packages/ledger/bench/commits.ts [seconds]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atomicUsdc } from '@farebox/money'
import { hasPostgres, startPostgres } from '../../../scripts/testing/postgres.ts'
import { applyEvents, newPayment, proof, start } from '../src/conformance/fixtures.ts'
import { createPaymentId, type LedgerStore, type NewPayment } from '../src/index.ts'
import { openLedger } from '../src/sql.ts'

const seconds = Number(process.argv[2] ?? '2')
let number = 0

function nextPayment(): NewPayment {
  number += 1
  const nonce: `0x${string}` = `0x${number.toString(16).padStart(64, '0')}`
  const { authorization } = newPayment(number % 200)
  const payload = JSON.stringify({ signature: 'f'.repeat(130), accepted: 'x'.repeat(700) })
  return newPayment(0, {
    id: createPaymentId(Date.now(), crypto.getRandomValues(new Uint8Array(10))),
    authorization: { ...authorization, nonce },
    payload,
  })
}

async function claim(store: LedgerStore): Promise<void> {
  await store.claim(nextPayment())
}

/** Claim, proof, start and completion with a refund: the writes of a paid request. */
async function pay(store: LedgerStore): Promise<void> {
  const { payment } = await store.claim(nextPayment())
  const { nonce } = payment.authorization
  await applyEvents(store, payment, [
    { type: 'settlement_proven', proof: { ...proof(1), transaction: nonce }, at: start },
    { type: 'service_started', at: start },
    {
      type: 'service_completed',
      cost: atomicUsdc(400n),
      usage: null,
      refund: { kind: 'transfer', nonce },
      at: start,
    },
  ])
}

async function rate(work: () => Promise<void>, width: number): Promise<number> {
  const until = performance.now() + 1000 * seconds
  const begun = performance.now()
  let done = 0
  const worker = async (): Promise<void> => {
    while (performance.now() < until) {
      await work()
      done += 1
    }
  }
  await Promise.all(Array.from({ length: width }, worker))
  return Math.round(done / ((performance.now() - begun) / 1000))
}

async function measure(name: string, url: string): Promise<void> {
  const store = await openLedger({ url })
  await rate(() => pay(store), 64)
  for (const width of [1, 16, 64, 256]) {
    const cpu = process.cpuUsage()
    const claims = await rate(() => claim(store), width)
    const before = number
    const payments = await rate(() => pay(store), width)
    const { user, system } = process.cpuUsage(cpu)
    const perWrite = (user + system) / (4 * (number - before) + claims * seconds)
    console.log(
      `${name.padEnd(10)} ${String(width).padStart(4)} at once: ${claims} claims/s, ${payments} payments/s (4 writes each), ${perWrite.toFixed(0)} µs CPU per write`,
    )
  }
  await store.close()
}

const folder = mkdtempSync(join(tmpdir(), 'farebox-bench-'))
await measure('SQLite', `sqlite:${join(folder, 'ledger.db')}`)
rmSync(folder, { recursive: true, force: true })
if (hasPostgres()) {
  const server = await startPostgres()
  await measure('PostgreSQL', server.url)
  await server.stop()
}
