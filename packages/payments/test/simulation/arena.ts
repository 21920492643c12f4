import type { MemoryDisk } from '@farebox/ledger'
import type { SimChain } from './chain.ts'
import type { Faults, Sabotage } from './faults.ts'
import type { World } from './world.ts'

/** What all parts of a run share. */
export type Arena = {
  readonly world: World
  readonly chain: SimChain
  readonly disk: MemoryDisk
  /** The faults in force, which end at a certain time. */
  faults(): Faults
  readonly sabotage: Sabotage | null
  readonly deepestReorganisation: number
  /** Written down for the figures. */
  count(what: string): void
}

/** Whether the process that asked is still there. */
export type Liveness = { alive: boolean }

/**
 * A message to the outside and its answer. What was sent by a process that died meanwhile may still
 * arrive; its answer does not. In calm weather it all happens at once.
 */
export function call<Result>(arena: Arena, process: Liveness, act: () => Result): Promise<Result> {
  const { world, faults } = arena
  const isCalm = faults().delay === 0 && faults().crash === 0
  if (isCalm && process.alive) {
    return new Promise((resolve) => {
      resolve(act())
    })
  }
  return new Promise((resolve, reject) => {
    world.after(latency(arena), () => {
      if (!process.alive && world.random.chance(0.5)) return
      const tell = attempt(act, { resolve, reject })
      world.after(latency(arena), () => {
        if (process.alive) tell()
      })
    })
  })
}

function attempt<Result>(
  act: () => Result,
  told: { readonly resolve: (result: Result) => void; readonly reject: (error: unknown) => void },
): () => void {
  try {
    const result = act()
    return () => told.resolve(result)
  } catch (error) {
    return () => told.reject(error)
  }
}

function latency({ world: { random }, faults }: Arena): number {
  return random.chance(faults().delay) ? random.whole(50, 5_000) : random.whole(1, 20)
}
