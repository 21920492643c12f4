import type { Hex } from '@farebox/ledger'
import { decodeFunctionResult, parseAbi, toFunctionSelector } from 'viem'
import { wordOf } from '../chain/hex.ts'

const multicallAbi = parseAbi([
  'struct Call3 { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call3[] calls) payable returns (Result[] returnData)',
])
const selector = toFunctionSelector(multicallAbi[0])

const isTrue = wordOf(1n)
/** Where the bytes begin, behind the words of target, flag and this offset. */
const bytesAt = wordOf(96n)
const listAt = wordOf(32n)

/** Calls Multicall3 with calls each of which may fail alone. */
export function encodeMulticall(calls: readonly { readonly to: Hex; readonly data: Hex }[]): Hex {
  const tuples = calls.map(({ to, data }) => wordOf(to) + isTrue + bytesAt + bytesWords(data))
  let at = 32 * tuples.length
  const offsets = tuples.map((tuple) => {
    const offset = wordOf(BigInt(at))
    at += tuple.length / 2
    return offset
  })
  const count = wordOf(BigInt(tuples.length))
  return `${selector}${listAt}${count}${offsets.join('')}${tuples.join('')}`
}

/** Bytes behind their length, filled up to whole words. */
function bytesWords(bytes: Hex): string {
  const digits = bytes.slice(2)
  const length = wordOf(BigInt(digits.length / 2))
  return length + digits.padEnd(Math.ceil(digits.length / 64) * 64, '0')
}

/** What became of each call, in their order. */
export function decodeMulticall(
  data: Hex,
): readonly { readonly success: boolean; readonly returnData: Hex }[] {
  return decodeFunctionResult({ abi: multicallAbi, functionName: 'aggregate3', data })
}
