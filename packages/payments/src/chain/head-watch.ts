import type { PublicClient } from 'viem'
import { readHeader } from '../rpc/block-header.ts'
import { ask } from '../rpc/rpc-client.ts'
import { createSharedQuestion } from '../scheduling/shared-question.ts'
import type { Block } from './chain.ts'

/** Reads the head of the chain, at least up to a block that is known to exist. */
export type ReadHead = (atLeast?: number) => Promise<Block>

/** Keeps a head for `freshMs`, unless the caller knows a later block. */
export function createHeadWatch(client: PublicClient, freshMs: number): ReadHead {
  let last: { readonly at: number; readonly head: Block } | undefined
  // Payments of one group ask for the same block.
  const askFor = createSharedQuestion(async (_atLeast: number) => {
    const at = performance.now()
    const head = await ask('the latest block', () => readHeader(client, 'latest'))
    last = { at, head }
    return head
  })
  return async function readHead(atLeast = 0) {
    const isFresh = last !== undefined && performance.now() - last.at < freshMs
    if (isFresh && last !== undefined && last.head.number >= atLeast) return last.head
    return await askFor(atLeast)
  }
}
