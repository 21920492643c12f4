import type { Hex } from '@farebox/ledger'
import { expect, test } from 'vitest'
import { createConfirmationCache } from '../../src/settlement/confirmation-cache.ts'

test('the node is asked once about each block, however many proofs lie in it', async () => {
  const asked: Hex[] = []
  const confirmationsOf = createConfirmationCache({
    async confirmationsOf({ blockHash }) {
      asked.push(blockHash)
      return asked.length
    },
  })
  const proofs = [
    { transaction: '0x1', block: 7, blockHash: '0xa', logIndex: 0 },
    { transaction: '0x2', block: 7, blockHash: '0xa', logIndex: 1 },
    { transaction: '0x3', block: 8, blockHash: '0xb', logIndex: 0 },
  ] as const
  expect(await Promise.all(proofs.map(confirmationsOf))).toEqual([1, 1, 2])
  expect(asked).toEqual(['0xa', '0xb'])
})
