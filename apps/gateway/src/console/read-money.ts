import { type Health, healthSchema } from '@farebox/api'
import type {
  FreeQuotaStore,
  FreeUse,
  GasOfDay,
  GasStore,
  LedgerReports,
  ModelRevenue,
  Owed,
  PendingRefundTotal,
} from '@farebox/ledger'
import type { PaymentNetwork } from '@farebox/payments'
import type { ChainReader } from '@farebox/payments/chain'

/** What the console reads from. */
export type Sources = {
  readonly store: LedgerReports & Pick<FreeQuotaStore, 'freeUseByDay'> & Pick<GasStore, 'gasByDay'>
  readonly chain: Pick<ChainReader, 'balanceOf' | 'nativeBalanceOf'>
  readonly network: PaymentNetwork
  readonly treasury: `0x${string}`
  readonly relayer: `0x${string}` | undefined
  readonly gatewayUrl: string
  /** What an ETH costs in whole dollars, as configured. */
  readonly dollarsPerEther: bigint
  readonly now: () => number
}

/** Money at a glance: USDC in atomic units, ETH in wei. A balance is null if no node answered. */
export type Money = {
  readonly network: string
  readonly treasury: { readonly address: string; readonly usdc: bigint | null }
  readonly relayer: { readonly address: string; readonly wei: bigint | null } | null
  readonly owed: Owed
  readonly pendingRefunds: readonly PendingRefundTotal[]
  readonly days: number
  readonly revenue: readonly ModelRevenue[]
  readonly free: readonly FreeUse[]
  /** What the relayer paid, and what an ETH costs in whole dollars. */
  readonly gas: readonly GasOfDay[]
  readonly dollarsPerEther: bigint
  readonly gateway: { readonly url: string; readonly health: Health | null }
}

const dayMs = 86_400_000
const timeoutMs = 3_000

/** Reads the balances, the health and the ledger at once. */
export async function readMoney(sources: Sources, days: number): Promise<Money> {
  const { store, chain, network, treasury, relayer, gatewayUrl, dollarsPerEther, now } = sources
  const at = now()
  const tomorrow = at - (at % dayMs) + dayMs
  const period = { from: tomorrow - days * dayMs, to: tomorrow }
  const [usdc, wei, health, owed, pendingRefunds, revenue, free, gas] = await Promise.all([
    orNull(chain.balanceOf(network.usdc, treasury)),
    relayer === undefined ? null : orNull(chain.nativeBalanceOf(relayer)),
    orNull(readHealth(gatewayUrl)),
    store.owed(),
    store.pendingRefundTotals(),
    store.revenueByDay({ ...period, now: at }),
    store.freeUseByDay(period),
    store.gasByDay(period),
  ])
  return {
    network: network.name,
    treasury: { address: treasury, usdc },
    relayer: relayer === undefined ? null : { address: relayer, wei },
    owed,
    pendingRefunds,
    days,
    revenue,
    free,
    gas,
    dollarsPerEther,
    gateway: { url: gatewayUrl, health },
  }
}

async function readHealth(url: string): Promise<Health> {
  const response = await fetch(new URL('/v1/health', url), {
    signal: AbortSignal.timeout(timeoutMs),
  })
  return healthSchema.parse(await response.json())
}

/** The page shows what is known, and marks what is missing. */
async function orNull<Value>(reading: Promise<Value>): Promise<Value | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => {
      resolve(null)
    }, timeoutMs)
  })
  return await Promise.race([reading.catch(() => null), late]).finally(() => {
    clearTimeout(timer)
  })
}
