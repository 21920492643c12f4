import { Client } from 'pg'
import { hasPostgres, startPostgres } from '../../../../scripts/testing/postgres.ts'
import { hasRedis, startRedis } from '../../../../scripts/testing/redis.ts'
import { openStage, type Stage } from '../gateway/stage.ts'
import { fillLedger, paymentsIn } from '../growth/fill-ledger.ts'
import { openSellers, ownTreasury, type Sale, type Sellers, sell } from '../growth/sellers.ts'
import { median } from '../percentile.ts'
import type { Report } from '../report/report.ts'
import { printTable } from '../report/table.ts'
import type { Suite } from '../suite.ts'

const full = { ledgers: [10_000, 1_000_000], replicas: [1, 2, 3], rounds: 5, requests: 300 }
const quick = { ledgers: [100, 10_000], replicas: [1, 2], rounds: 1, requests: 100 }

type Size = typeof full

/** What a paid request costs in a large ledger, and with several gateways on one. */
export const growth: Suite = {
  name: 'growth',
  question: 'a paid request by payments in the ledger, database and replicas',
  run: async ({ isQuick, ledgers }) => {
    const size = isQuick ? quick : full
    const stage = await openStage()
    try {
      const files = await onSqlite(stage, size)
      const given = await Promise.all(ledgers.map((url) => onGiven(stage, url)))
      const measured = await inTurn(stage, [...files, ...given], size)
      const served = hasPostgres() && hasRedis() ? await onPostgres(stage, size) : []
      const report = growthReport([...measured, ...served], size)
      printTable(report.header, report.rows)
      return report
    } finally {
      await stage.close()
    }
  },
}

async function onSqlite(stage: Stage, { ledgers }: Size): Promise<readonly Sellers[]> {
  const sellers: Sellers[] = []
  for (const payments of ledgers) {
    const url = `sqlite:${stage.folder}/growth-${payments}.sqlite`
    await fillLedger(url, { payments, open: 'none' })
    sellers.push(await openSellers(stage, { database: 'SQLite', payments, url, replicas: 1 }))
  }
  return sellers
}

async function onGiven(stage: Stage, url: string): Promise<Sellers> {
  const database = url.startsWith('sqlite:') ? 'SQLite' : 'PostgreSQL'
  return await openSellers(stage, { database, payments: paymentsIn(url), url, replicas: 1 })
}

/** Each ledger in its own database, and each number of replicas on the first of them. */
async function onPostgres(stage: Stage, size: Size): Promise<readonly Measured[]> {
  const [server, redis] = [await startPostgres(), await startRedis()]
  try {
    const measured: Measured[] = []
    for (const payments of size.ledgers) {
      const url = await createDatabase(server.url, `growth_${payments}`)
      await fillLedger(url, { payments, open: 'none' })
      const shared = { ...(await ownTreasury(stage)), REDIS_URL: redis.url }
      for (const replicas of payments === size.ledgers[0] ? size.replicas : [1]) {
        const options = { database: 'PostgreSQL', payments, url, replicas } as const
        const sellers = await openSellers(stage, { ...options, shared })
        measured.push(...(await inTurn(stage, [sellers], size)))
        for (const { peer } of sellers.contenders) await peer.stop()
      }
    }
    return measured
  } finally {
    await redis.stop()
    await server.stop()
  }
}

async function createDatabase(server: string, name: string): Promise<string> {
  const client = new Client({ connectionString: server })
  await client.connect()
  await client.query(`create database ${name}`)
  await client.end()
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

type Measured = Sellers & Sale

/** One round of each in turn, after a round that is not counted. */
async function inTurn(
  stage: Stage,
  all: readonly Sellers[],
  { rounds, requests }: Size,
): Promise<readonly Measured[]> {
  const samples = all.map((): Sale[] => [])
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, sellers] of all.entries()) {
      const sale = await sell(stage, sellers, requests)
      if (round > 0) samples[index]?.push(sale)
    }
  }
  return all.map((sellers, index) => {
    const sales = samples[index] ?? []
    return {
      ...sellers,
      cpu: median(sales.map(({ cpu }) => cpu)),
      p50: median(sales.map(({ p50 }) => p50)),
      memory: sales.at(-1)?.memory ?? Number.NaN,
    }
  })
}

function growthReport(measured: readonly Measured[], { requests }: Size): Report {
  const figures = measured.map(({ contenders, memory, ...rest }) => ({
    ...rest,
    replicas: contenders.length,
    memory: memory / 1024 / 1024,
  }))
  return {
    name: 'growth',
    title: 'A paid request as the ledger grows',
    conditions: [
      `${requests} paid JSON requests a round, 50 at once, spread over the replicas; medians of the rounds. The ledgers in SQLite take turns, those in PostgreSQL follow, with Redis for the rate limit.`,
      'The payments of the ledger are of a year and over, written by SQL; their nonces and transactions are spread over the indexes.',
      'CPU is that of the gateways, refunds included; the database server is not in it. All processes share the cores, so replicas show what sharing a ledger costs, and not how much more they sell.',
    ],
    header: ['database', 'payments in the ledger', 'replicas', 'CPU µs', 'p50 ms', 'resident MB'],
    rows: figures.map(({ database, payments, replicas, cpu, p50, memory }) => [
      database,
      payments.toLocaleString('en'),
      String(replicas),
      cpu.toFixed(0),
      p50.toFixed(0),
      memory.toFixed(0),
    ]),
    plots: [],
    versions: {},
    figures,
  }
}
