import type { Hex } from '@farebox/ledger'
import type { Usdc } from '@farebox/money'
import type { ChainReader } from '../chain/chain.ts'
import type { Observer } from '../events/payment-events.ts'

/** What the treasury and the relayer should hold at least. */
export type BalanceLimits = {
  readonly asset: Hex
  readonly leastTreasury?: Usdc
  readonly relayer?: Hex
  readonly leastRelayer?: bigint
}

type AlarmOptions = {
  readonly chain: Pick<ChainReader, 'balanceOf' | 'nativeBalanceOf'>
  readonly treasury: Hex
  readonly clock: () => number
  readonly alarms?: BalanceLimits
  readonly notify: Observer
}

const checkEveryMs = 60_000

/** Looks once a minute at what the treasury and the relayer hold; says so each time it is too little. */
export function createBalanceAlarms(options: AlarmOptions): () => Promise<void> {
  const { chain, treasury, clock, alarms, notify } = options
  let checkedAt = Number.NEGATIVE_INFINITY

  return async function checkBalances() {
    if (alarms === undefined || clock() - checkedAt < checkEveryMs) return
    checkedAt = clock()
    const { asset, leastTreasury, relayer, leastRelayer } = alarms
    if (leastTreasury !== undefined) {
      const balance = await chain.balanceOf(asset, treasury)
      if (balance < leastTreasury) {
        notify({ type: 'treasury_low', balance, minimum: leastTreasury })
      }
    }
    if (relayer !== undefined && leastRelayer !== undefined) {
      const balance = await chain.nativeBalanceOf(relayer)
      if (balance < leastRelayer) notify({ type: 'relayer_low', balance, minimum: leastRelayer })
    }
  }
}
