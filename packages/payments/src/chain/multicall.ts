import type { Hex } from '@farebox/ledger'
import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem'

const multicallAbi = parseAbi([
  'struct Call3 { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call3[] calls) payable returns (Result[] returnData)',
])

/** Calls Multicall3 with calls each of which may fail alone. */
export function encodeMulticall(calls: readonly { readonly to: Hex; readonly data: Hex }[]): Hex {
  return encodeFunctionData({
    abi: multicallAbi,
    functionName: 'aggregate3',
    args: [
      calls.map(({ to: target, data: callData }) => ({ target, allowFailure: true, callData })),
    ],
  })
}

/** What became of each call, in their order. */
export function decodeMulticall(
  data: Hex,
): readonly { readonly success: boolean; readonly returnData: Hex }[] {
  return decodeFunctionResult({ abi: multicallAbi, functionName: 'aggregate3', data })
}
