import { every } from './every.ts'
import { noFaults } from './faults.ts'
import type { SimContext } from './sim-context.ts'

/** Sets the clocks of replicas now and then, each by its entry in `skews`, until the faults stop. */
export function runClocks(context: SimContext, skews: number[]): void {
  const random = context.world.random.fork()
  const halfAnHour = 1_800_000
  every(context, 1_000, () => {
    if (context.faults() === noFaults) return
    for (const slot of skews.keys()) {
      if (!random.chance(0.03)) continue
      const [near, far] = [random.whole(-5_000, 5_000), random.whole(-halfAnHour, halfAnHour)]
      skews[slot] = random.pick([0, near, far])
      context.count('clocks set')
    }
  })
}
