import type { Hex } from '@farebox/ledger'
import { encodeFunctionData, parseAbi } from 'viem'
import type { SignedRefund } from '../chain/chain.ts'
import type { PaymentNetwork } from '../chain/network.ts'
import type { TransactionCall } from '../relayer/transaction-call.ts'

const tokenAbi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
])

const multicallAbi = parseAbi([
  'struct Call3 { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call3[] calls) payable returns (Result[] returnData)',
])

/** The token call that executes a refund. Anyone may make it. */
export function refundCall(refund: SignedRefund): TransactionCall {
  const { from, to, value, validAfter, validBefore, nonce, signature } = refund
  const data = encodeFunctionData({
    abi: tokenAbi,
    functionName: 'transferWithAuthorization',
    args: [
      from,
      to,
      value,
      BigInt(validAfter),
      BigInt(validBefore),
      nonce,
      Number.parseInt(signature.slice(130, 132), 16),
      `0x${signature.slice(2, 66)}`,
      `0x${signature.slice(66, 130)}`,
    ],
  })
  return { to: refund.asset, data }
}

/** Measured: below 53,000 per refund with USDC; a payee's first balance takes 17,000 more. */
const gasPerRefund = 95_000n
const gasOfBatch = 60_000n

/**
 * Several refunds in one transaction, each of which may fail alone. Its gas is calculated rather than
 * estimated: an estimate stops at the first amount with which the batch as a whole passes, even if
 * refunds in it run out of gas.
 */
export function refundBatchCall(
  refunds: readonly SignedRefund[],
  { multicall3 }: PaymentNetwork,
): TransactionCall {
  const calls = refunds.map(refundCall).map(({ to: target, data: callData }) => ({
    target,
    allowFailure: true,
    callData,
  }))
  const data: Hex = encodeFunctionData({
    abi: multicallAbi,
    functionName: 'aggregate3',
    args: [calls],
  })
  return { to: multicall3, data, gas: gasOfBatch + gasPerRefund * BigInt(refunds.length) }
}
