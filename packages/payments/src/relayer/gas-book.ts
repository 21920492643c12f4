import type { GasPaid, GasStore } from '@farebox/ledger'
import type { Timers } from '../scheduling/timers.ts'

export type GasBookOptions = {
  readonly store: Pick<GasStore, 'recordGas'>
  readonly timers: Timers
  /** Called for each attempt to write that failed. */
  readonly onFault: (error: unknown) => void
}

/** Writes what the relayer's transactions cost, in batches, separately from the payments. */
export type GasBook = {
  add(paid: GasPaid): void
  /** Writes what is left. Never throws. */
  close(): Promise<void>
}

const flushMs = 1_000
const retryMs = 10_000
/** While the store is down, only this many latest entries are kept. */
const maxWaiting = 10_000

/**
 * No payment waits for these writes. A crash loses those of the last second, which shows as a gap
 * between the nonces.
 */
export function createGasBook({ store, timers, onFault }: GasBookOptions): GasBook {
  let waiting: GasPaid[] = []
  let cancel: (() => void) | undefined
  let writing: Promise<void> = Promise.resolve()

  function arm(milliseconds: number): void {
    cancel ??= timers.after(milliseconds, () => {
      cancel = undefined
      void write()
    })
  }

  function write(): Promise<void> {
    writing = writing.then(async () => {
      const batch = waiting
      waiting = []
      if (batch.length === 0) return
      try {
        await store.recordGas(batch)
      } catch (error) {
        onFault(error)
        waiting = [...batch, ...waiting].slice(-maxWaiting)
        arm(retryMs)
      }
    })
    return writing
  }

  return {
    add(paid) {
      waiting.push(paid)
      arm(flushMs)
    },
    async close() {
      cancel?.()
      await write()
    },
  }
}
