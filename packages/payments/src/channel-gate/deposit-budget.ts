import type { Hex } from '@farebox/ledger'
import type { ChannelPolicy } from '../policy/channel-policy.ts'

/** The place that a deposit takes within the limits. */
export type DepositPlace = {
  /** Gives the place back: the deposit is not executed. */
  release(): void
}

/** How many deposits are executed, since each costs the operator gas. */
export type DepositBudget = {
  /** Whether there is room for another one. */
  allows(payer: Hex): boolean
  /** Counts a deposit before it is claimed; undefined when there is no room. */
  take(payer: Hex): DepositPlace | undefined
}

const hourMs = 3_600_000

/**
 * Counts in this process, so the limits of replicas add up. Concurrent deposits cannot exceed the
 * limits.
 */
export function createDepositBudget(
  policy: Pick<ChannelPolicy, 'depositsPerPayer' | 'depositWindowMs' | 'depositsPerHour'>,
  clock: () => number,
): DepositBudget {
  const { depositsPerPayer, depositWindowMs, depositsPerHour } = policy
  let counted: readonly { readonly payer: Hex; readonly at: number }[] = []

  function allows(payer: Hex): boolean {
    const now = clock()
    const inHour = counted.filter(({ at }) => now - at < hourMs)
    const ofPayer = counted.filter((one) => one.payer === payer && now - one.at < depositWindowMs)
    return ofPayer.length < depositsPerPayer && inHour.length < depositsPerHour
  }

  return {
    allows,
    take(payer) {
      if (!allows(payer)) return undefined
      const now = clock()
      const place = { payer, at: now }
      const kept = counted.filter(({ at }) => now - at < Math.max(hourMs, depositWindowMs))
      counted = [...kept, place]
      return {
        release: () => {
          counted = counted.filter((one) => one !== place)
        },
      }
    },
  }
}
