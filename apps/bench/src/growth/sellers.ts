import { Agent } from 'undici'
import { prepareCalls } from '../gateway/cases.ts'
import { type Contender, farebox, sold } from '../gateway/contenders.ts'
import { ownKeys } from '../gateway/own-keys.ts'
import type { Stage } from '../gateway/stage.ts'
import { runLoad } from '../load/run-load.ts'
import { median } from '../percentile.ts'

/** Gateways that sell together on one ledger, each with its own relayer. */
export type Sellers = {
  readonly database: 'SQLite' | 'PostgreSQL'
  readonly payments: number
  readonly contenders: readonly Contender[]
}

/** What a paid request cost all of them together. */
export type Sale = {
  /** CPU microseconds of the gateways, without the database server. */
  readonly cpu: number
  /** The duration of the median request, in milliseconds. */
  readonly p50: number
  /** Resident bytes of the largest gateway. */
  readonly memory: number
}

export type SellersOptions = Omit<Sellers, 'contenders'> & {
  readonly url: string
  readonly replicas: number
  /** Settings that all of them share. */
  readonly shared?: Readonly<Record<string, string>>
}

export async function openSellers(stage: Stage, options: SellersOptions): Promise<Sellers> {
  const { database, payments, url, replicas, shared = await ownTreasury(stage) } = options
  const contenders: Contender[] = []
  for (let replica = 0; replica < replicas; replica += 1) {
    const peer = await farebox(stage, { ...(await ownKeys(stage)), ...shared, DATABASE_URL: url })
    contenders.push({ name: `replica ${replica + 1}`, ...sold, peer })
  }
  return { database, payments, contenders }
}

/** One ledger has one treasury, however many gateways sell on it. */
export async function ownTreasury(stage: Stage): Promise<Readonly<Record<string, string>>> {
  const { TREASURY_PRIVATE_KEY = '' } = await ownKeys(stage)
  return { TREASURY_PRIVATE_KEY }
}

/** Makes this many paid requests, 50 at once, spread over the gateways. */
export async function sell(
  { devnet: { payers } }: Stage,
  { contenders }: Sellers,
  requests: number,
): Promise<Sale> {
  const share = Math.ceil(requests / contenders.length)
  const atOnce = Math.ceil(50 / contenders.length)
  const orders = await Promise.all(
    contenders.map(async (contender) => ({
      contender,
      calls: await prepareCalls({ name: 'paid JSON', contender, payers, count: share }),
    })),
  )
  const before = await usageOf(contenders)
  const dispatcher = new Agent({ connections: atOnce, pipelining: 1 })
  const timings = await Promise.all(
    orders.map(({ contender, calls }) =>
      runLoad({ dispatcher, origin: contender.peer.url, calls, atOnce }),
    ),
  )
  await dispatcher.close()
  const after = await usageOf(contenders)
  return {
    cpu: (after.cpu - before.cpu) / (share * contenders.length),
    p50: median(timings.flat().map(({ whole }) => whole)),
    memory: after.memory,
  }
}

async function usageOf(
  contenders: readonly Contender[],
): Promise<{ readonly cpu: number; readonly memory: number }> {
  const usages = await Promise.all(contenders.map(({ peer }) => peer.usage()))
  return {
    cpu: usages.reduce((sum, { cpu }) => sum + cpu, 0),
    memory: Math.max(...usages.map(({ memory }) => memory)),
  }
}
