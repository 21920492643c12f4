import { every } from './every.ts'
import type { SimContext } from './sim-context.ts'

const blockMs = 2_000

/** A block every two seconds; with faults, some are undone and some transactions wait or vanish. */
export function runChain(context: SimContext): void {
  const { world, chain, faults } = context
  const { random } = world
  every(context, blockMs, () => {
    const { mempool, reorganization } = faults()
    if (random.chance(reorganization)) {
      const depth = random.whole(1, context.deepestReorganization)
      context.count('reorganizations')
      chain.reorganize({ depth, survival: 1 - mempool })
      // The chain switches to another branch only if that is longer.
      for (let block = 0; block < depth; block += 1) mine(1 - mempool)
    }
    mine(1 - mempool)
  })
  const mine = (inclusion: number): void => {
    chain.mine({ timestamp: Math.floor(world.now() / 1000), inclusion })
  }
}
