import type { TransactionReceipt } from 'viem'
import { expect, test } from 'vitest'
import {
  createSettlementSigner,
  type SettlementAttempt,
  type SettlementSignerParts,
} from '../../src/facilitators/settlement-signer.ts'

const relayer = `0x${'1'.repeat(40)}` as const
const token = `0x${'2'.repeat(40)}` as const
const hash = `0x${'3'.repeat(64)}` as const

const abi = [
  { type: 'function', name: 'settle', inputs: [], outputs: [], stateMutability: 'nonpayable' },
] as const

/** Sends the transfer of a settlement, for which this receipt is posted. */
async function settleWith(receipt: Partial<TransactionReceipt>) {
  const attempt: SettlementAttempt = {
    transaction: null,
    group: null,
    fault: null,
    reverts: false,
    reverted: false,
    gasUsed: 0n,
  }
  const posted = { transactionHash: hash, gasUsed: 21_000n, logs: [], from: relayer, ...receipt }
  const parts = {
    queue: {
      relayer,
      send: async () => ({ status: 'sent', transaction: hash }),
      receiptOf: async () => posted,
    },
    attempt,
    confirmationTimeoutMs: 1,
    settlementGas: { key: 100_000n, wallet: 500_000n },
  } as unknown as SettlementSignerParts
  const signer = createSettlementSigner(parts)
  await signer.writeContract({ address: token, abi, functionName: 'settle', args: [] })
  const { status } = await signer.waitForTransactionReceipt({ hash })
  return { status, reverted: attempt.reverted }
}

test.each([
  ['the transfer', { to: token, status: 'success' }, { status: 'success', reverted: false }],
  ['its revert', { to: token, status: 'reverted' }, { status: 'reverted', reverted: true }],
  [
    'what the relayer sent itself in its place',
    { to: relayer, status: 'success' },
    { status: 'reverted', reverted: true },
  ],
] as const)('a settlement is judged by %s', async (_, receipt, judged) => {
  expect(await settleWith(receipt)).toEqual(judged)
})
