import type { TransferProof } from '../../payment/payment-record.ts'
import type { Row, Values } from '../queries/query.ts'
import * as read from './read-row.ts'

/** The columns of a transfer proof, the same for payments and refund transfers. */
export function proofColumns(prefix: string, proof: TransferProof | null): Values {
  return {
    [`${prefix}_transaction`]: proof?.transaction ?? null,
    [`${prefix}_block`]: proof === null ? null : BigInt(proof.block),
    [`${prefix}_block_hash`]: proof?.blockHash ?? null,
    [`${prefix}_log_index`]: proof === null ? null : BigInt(proof.logIndex),
  }
}

export function proofIn(row: Row, prefix: string): TransferProof | null {
  if (row[`${prefix}_transaction`] === null) return null
  return {
    transaction: read.hex(row, `${prefix}_transaction`),
    block: read.whole(row, `${prefix}_block`),
    blockHash: read.hex(row, `${prefix}_block_hash`),
    logIndex: read.whole(row, `${prefix}_log_index`),
  }
}
