import type { Hex, LedgerEntry, PaymentRecord } from '@farebox/ledger'
import type { SimBlock, SimChain } from './chain.ts'
import type { CountedDisk } from './counted-disk.ts'
import type { Faults, PlantedBug } from './faults.ts'
import type { World } from './world.ts'

/** What all parts of a simulation share. */
export type SimContext = {
  readonly world: World
  readonly chain: SimChain
  readonly disk: CountedDisk
  /** Every authorization that was ever claimed, also when its payment was deleted since. */
  readonly claimed: Set<string>
  /** Payments whose amounts were checked, with the entries of that moment. */
  readonly sound: WeakMap<PaymentRecord, readonly LedgerEntry[] | undefined>
  /** Payers whose settlements revert, although they pass a simulation. */
  readonly reverting: Set<Hex>
  /** The current faults: all zero once the faults stop. */
  faults(): Faults
  readonly plantedBug: PlantedBug | null
  readonly deepestReorganization: number
  /** Settles in groups with its own relayer, instead of through a remote facilitator. */
  readonly settlesInGroups: boolean
  /** The upstream is called while a payment settles. */
  readonly overlaps: boolean
  /** What the upstream says may leave with a preconfirmation. */
  readonly releasesWithPreconfirmation: boolean
  /** Authorizations whose transfers a node has shown before their block. */
  readonly shown: Set<string>
  /** Services of clients that wait begin in the step that records the proof. */
  readonly beginsWithProof: boolean
  /** The clocks of replicas are set. */
  readonly setsClocks: boolean
  /** Counts an event for the summary. */
  count(what: string): void
}

/** What `read` returns, which is read again once the ledger or the chain has changed. */
export function readOnChange<Value>(
  { disk, chain }: Pick<SimContext, 'disk' | 'chain'>,
  read: () => Value,
): () => Value {
  let last: { readonly writes: number; readonly head: SimBlock; readonly value: Value } | undefined
  return () => {
    const [writes, head] = [disk.writes(), chain.head()]
    if (last?.writes !== writes || last.head !== head) last = { writes, head, value: read() }
    return last.value
  }
}

/** Whether the calling process is still running. */
export type Liveness = { alive: boolean }

/**
 * A call to the outside. A call of a process that crashes meanwhile may still arrive, but its result
 * does not. Without delays and crashes it completes at once.
 */
export function call<Result>(
  context: SimContext,
  process: Liveness,
  act: () => Result,
): Promise<Result> {
  const { world, faults } = context
  const isReliable = faults().delay === 0 && faults().crash === 0
  if (isReliable && process.alive) {
    return new Promise((resolve) => {
      resolve(act())
    })
  }
  return new Promise((resolve, reject) => {
    world.after(latency(context), () => {
      if (!process.alive && world.random.chance(0.5)) return
      const respond = attempt(act, { resolve, reject })
      world.after(latency(context), () => {
        if (process.alive) respond()
      })
    })
  })
}

function attempt<Result>(
  act: () => Result,
  promise: {
    readonly resolve: (result: Result) => void
    readonly reject: (error: unknown) => void
  },
): () => void {
  try {
    const result = act()
    return () => promise.resolve(result)
  } catch (error) {
    return () => promise.reject(error)
  }
}

function latency({ world: { random }, faults }: SimContext): number {
  return random.chance(faults().delay) ? random.whole(50, 5_000) : random.whole(1, 20)
}
