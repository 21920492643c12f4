import type { Hex } from '@farebox/ledger'
import type { PublicClient } from 'viem'
import { nodeError } from '../rpc/rpc-client.ts'

/** How a node responded to a raw transaction. */
export type BroadcastOutcome =
  /** Accepted, or known already: it will be mined or replaced. */
  | { readonly status: 'accepted' }
  /** Its nonce belongs to another transaction; these bytes will never be mined. */
  | { readonly status: 'nonce_taken' }
  /** Earlier nonces are missing. */
  | { readonly status: 'gap' }
  | { readonly status: 'no_gas' }
  /** Its fees are below what the block requires. */
  | { readonly status: 'underpriced' }
  /** No block has room for it, or it names less gas than its bytes cost: it will never be mined. */
  | { readonly status: 'refused' }
  /** Rejected for another reason, or no answer: the node may have accepted it. */
  | { readonly status: 'unclear'; readonly reason: string }

/** Messages of geth, erigon, reth, nethermind, op-geth and anvil, which share no codes. */
const classes: readonly (readonly [RegExp, Plain])[] = [
  [
    /exceeds? (the )?(block|transaction|max)\w* gas|gas limit (is )?too (high|large)|gas limit reached|intrinsic gas|exceeds maximum per-transaction gas/i,
    'refused',
  ],
  [/already known|already imported|known transaction|transaction already/i, 'accepted'],
  [/nonce too low|replacement|nonce.*(already|been) used|old nonce/i, 'nonce_taken'],
  [/nonce too high|nonce gap|future/i, 'gap'],
  [/insufficient funds|insufficient balance|not enough (funds|balance)/i, 'no_gas'],
  [/underpriced|less than block base fee|fee too low|below.*base fee|fee cap/i, 'underpriced'],
]

type Plain = Exclude<BroadcastOutcome, { readonly status: 'unclear' }>['status']

/** Sends a raw transaction to the node once. Never throws. */
export async function broadcast(client: PublicClient, raw: Hex): Promise<BroadcastOutcome> {
  try {
    await client.sendRawTransaction({ serializedTransaction: raw })
    return { status: 'accepted' }
  } catch (error) {
    const rejection = nodeError(error)
    if (rejection === undefined) return { status: 'unclear', reason: 'no_answer' }
    const known = classes.find(([pattern]) => pattern.test(rejection.message))
    return known === undefined
      ? { status: 'unclear', reason: `node_error_${rejection.code}` }
      : { status: known[1] }
  }
}
