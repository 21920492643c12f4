import type { Hex } from '@farebox/ledger'
import type { ChannelPolicy } from '../policy/channel-policy.ts'

/** How many deposits are executed, since each costs the operator gas. */
export type DepositBudget = {
  /** Whether there is room for another one. */
  allows(payer: Hex): boolean
  count(payer: Hex): void
}

const hourMs = 3_600_000

/** Counts in this process: replicas add up. */
export function createDepositBudget(
  policy: Pick<ChannelPolicy, 'depositsPerPayer' | 'depositWindowMs' | 'depositsPerHour'>,
  clock: () => number,
): DepositBudget {
  const { depositsPerPayer, depositWindowMs, depositsPerHour } = policy
  let counted: readonly { readonly payer: Hex; readonly at: number }[] = []

  return {
    allows(payer) {
      const now = clock()
      const inHour = counted.filter(({ at }) => now - at < hourMs)
      const ofPayer = counted.filter((one) => one.payer === payer && now - one.at < depositWindowMs)
      return ofPayer.length < depositsPerPayer && inHour.length < depositsPerHour
    },
    count(payer) {
      const now = clock()
      const kept = counted.filter(({ at }) => now - at < Math.max(hourMs, depositWindowMs))
      counted = [...kept, { payer, at: now }]
    },
  }
}
