import type { TransferProof } from '../../payment/payment-record.ts'
import type { Row, Values } from '../queries/query.ts'
import * as read from './read-row.ts'

/** The proof of a payment and that of any other transfer have columns of different names. */
export type ProofName = 'settlement' | 'proof'

export function proofColumns(name: ProofName, proof: TransferProof | null): Values {
  const transaction = proof?.transaction ?? null
  const block = proof === null ? null : BigInt(proof.block)
  const blockHash = proof?.blockHash ?? null
  const logIndex = proof === null ? null : BigInt(proof.logIndex)
  // Names that are computed cost several times what the values do, in each write.
  switch (name) {
    case 'settlement':
      return {
        settlement_transaction: transaction,
        settlement_block: block,
        settlement_block_hash: blockHash,
        settlement_log_index: logIndex,
      }
    case 'proof':
      return {
        proof_transaction: transaction,
        proof_block: block,
        proof_block_hash: blockHash,
        proof_log_index: logIndex,
      }
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

export function proofIn(row: Row, name: ProofName): TransferProof | null {
  const { transaction, block, blockHash, logIndex } = columns[name]
  if (row[transaction] === null) return null
  return {
    transaction: read.hex(row, transaction),
    block: read.whole(row, block),
    blockHash: read.hex(row, blockHash),
    logIndex: read.whole(row, logIndex),
  }
}
