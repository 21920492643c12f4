import type { Hex } from '@farebox/ledger'
import type { PublicClient } from 'viem'
import type { PendingTransactions } from './pending-transactions.ts'

/** A nonce that was requested in advance; valid as long as nothing was sent since. */
export type NonceGuess = { readonly nonce: Promise<number>; readonly sent: number }

export type NonceSource = {
  /** Asks the node in advance, if it will have to be asked. */
  prefetch(): NonceGuess | undefined
  /** The nonce after our pending ones, else the node's count. Rejects if it does not answer. */
  next(guess: NonceGuess | undefined): Promise<number>
  /** The first free nonce after `taken`, which another process used, according to the node. */
  after(taken: number): Promise<number>
}

export function createNonceSource(
  client: PublicClient,
  address: Hex,
  pending: PendingTransactions,
): NonceSource {
  let asking: NonceGuess | undefined

  function read(): Promise<number> {
    return client.getTransactionCount({ address, blockTag: 'pending' })
  }

  return {
    prefetch() {
      if (pending.next() !== undefined) return undefined
      if (asking?.sent === pending.sent()) return asking
      const guess = { nonce: read(), sent: pending.sent() }
      const forget = (): void => {
        if (asking === guess) asking = undefined
      }
      guess.nonce.then(forget, forget)
      asking = guess
      return guess
    },
    async next(guess) {
      const own = pending.next()
      if (own !== undefined) return own
      // Many may share one guess: its failure must not fail them all.
      return await (guess?.sent === pending.sent() ? guess.nonce.catch(read) : read())
    },
    async after(taken) {
      return Math.max(taken + 1, await read().catch(() => 0))
    },
  }
}
