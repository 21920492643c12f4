import type { PaymentRecord, TransferProof } from '@farebox/ledger'
import type { ChainReader } from '../chain/chain.ts'
import { advancePayment } from './advance-payment.ts'
import type { SettlementPorts } from './resolve-settlement.ts'
import { readSettlement } from './settlement-verdict.ts'

/** How deep a proven settlement lies, after it was looked at again. */
export type WatchedSettlement =
  | { readonly status: 'deep'; readonly depth: number; readonly payment: PaymentRecord }
  /** Not on the canonical chain any more; the payment says so. */
  | { readonly status: 'lost'; readonly payment: PaymentRecord }

/** Asks for the depth of each block once, however many payments lie in it. */
export function depthsOfRound(
  chain: ChainReader,
): (proof: TransferProof) => Promise<number | 'gone'> {
  const depths = new Map<string, Promise<number | 'gone'>>()
  return function depthOf(proof) {
    const known = depths.get(proof.blockHash)
    if (known !== undefined) return known
    const depth = chain.depthOf(proof)
    depths.set(proof.blockHash, depth)
    return depth
  }
}

/**
 * Looks whether a settlement is still where it was proven. One that a reorganisation moved is
 * proven anew; one that vanished is written down as lost.
 *
 * @throws {ChainError} when the node does not answer, and whatever the store throws.
 */
export async function watchSettlement(
  ports: SettlementPorts,
  payment: PaymentRecord,
  depthOf: (proof: TransferProof) => Promise<number | 'gone'>,
): Promise<WatchedSettlement> {
  const { settlement } = payment
  if (settlement === null) return { status: 'lost', payment }
  const depth = await depthOf(settlement)
  if (depth !== 'gone') return { status: 'deep', depth, payment }
  return await followSettlement(ports, payment)
}

async function followSettlement(
  ports: SettlementPorts,
  payment: PaymentRecord,
): Promise<WatchedSettlement> {
  const { store, chain, clock, rules, notify } = ports
  const verdict = await readSettlement(chain, payment, rules)
  const found = verdict.status === 'proven' || verdict.status === 'early'
  const at = clock()
  const advance = await advancePayment(store, payment, {
    eventFor: (current) => {
      if (current.version !== payment.version) return null
      return found
        ? { type: 'settlement_proven', proof: verdict.proof, at }
        : { type: 'settlement_lost', at }
    },
  })
  if (found) return { status: 'deep', depth: 0, payment: advance.payment }
  if (advance.status === 'applied') notify({ type: 'settlement_lost', payment: advance.payment })
  return { status: 'lost', payment: advance.payment }
}
