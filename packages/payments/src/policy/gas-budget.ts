/** Gas that may be used within an hour, over a sliding window. */
export type GasBudget = {
  /** Takes this much gas from the budget; false if less is left. */
  take(gas: bigint): boolean
  /** Gives this much back, as it was taken: it was not used. */
  giveBack(gas: bigint): void
}

const hourMs = 3_600_000

export function createGasBudget(perHour: bigint, clock: () => number): GasBudget {
  let spent: { readonly at: number; readonly gas: bigint }[] = []
  return {
    take(gas) {
      const now = clock()
      spent = spent.filter(({ at }) => at > now - hourMs)
      const used = spent.reduce((sum, entry) => sum + entry.gas, 0n)
      if (used + gas > perHour) return false
      spent.push({ at: now, gas })
      return true
    },
    giveBack(gas) {
      const last = spent.findLastIndex((entry) => entry.gas === gas)
      if (last >= 0) spent.splice(last, 1)
    },
  }
}
