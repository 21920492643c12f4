import type { TransferProof } from '../../payment/payment-record.ts'
import type { Row, Values } from '../queries/query.ts'
import * as read from './read-row.ts'

export function proofColumns(proof: TransferProof | null): Values {
  return {
    proof_transaction: proof?.transaction ?? null,
    proof_block: proof === null ? null : BigInt(proof.block),
    proof_block_hash: proof?.blockHash ?? null,
    proof_log_index: proof === null ? null : BigInt(proof.logIndex),
  }
}

const columns = {
  settlement: {
    transaction: 'settlement_transaction',
    block: 'settlement_block',
    blockHash: 'settlement_block_hash',
    logIndex: 'settlement_log_index',
  },
  proof: {
    transaction: 'proof_transaction',
    block: 'proof_block',
    blockHash: 'proof_block_hash',
    logIndex: 'proof_log_index',
  },
}

/** The proof of a payment and that of any other transfer have columns of different names. */
export function proofIn(row: Row, name: keyof typeof columns): TransferProof | null {
  const { transaction, block, blockHash, logIndex } = columns[name]
  if (row[transaction] === null) return null
  return {
    transaction: read.hex(row, transaction),
    block: read.whole(row, block),
    blockHash: read.hex(row, blockHash),
    logIndex: read.whole(row, logIndex),
  }
}
