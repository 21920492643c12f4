import type { Hex } from '@farebox/ledger'
import { toFunctionSelector } from 'viem'
import { wordOf } from '../chain/hex.ts'
import { ChainError } from '../rpc/chain-error.ts'

const selector = toFunctionSelector('aggregate3((address,bool,bytes)[])')

const isTrue = wordOf(1n)
/** The offset of the bytes: they follow the words of target, flag and this offset. */
const bytesAt = wordOf(96n)
const listAt = wordOf(32n)

/** Encodes a call of Multicall3 whose inner calls may each fail alone. */
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

/** The length of bytes, then the bytes, padded to whole words. */
function bytesWords(bytes: Hex): string {
  const digits = bytes.slice(2)
  const length = wordOf(BigInt(digits.length / 2))
  return length + digits.padEnd(Math.ceil(digits.length / 64) * 64, '0')
}

/**
 * The result of each call, in order.
 *
 * @throws {ChainError} when the data is not that of an array of results.
 */
export function decodeMulticall(
  data: Hex,
): readonly { readonly success: boolean; readonly returnData: Hex }[] {
  const list = sizeAt(data, 0)
  const count = sizeAt(data, list)
  const offsets = list + 32
  return Array.from({ length: count }, (_, index) => {
    const result = offsets + sizeAt(data, offsets + 32 * index)
    const bytes = result + sizeAt(data, result + 32)
    const returnData = digitsAt(data, bytes + 32, sizeAt(data, bytes))
    return { success: sizeAt(data, result) === 1, returnData: `0x${returnData}` }
  })
}

const subject = 'the result of a multicall'

/** The word at a byte, which is an offset, a length or a flag: never more than the data's length. */
function sizeAt(data: Hex, byte: number): number {
  const size = Number(`0x${digitsAt(data, byte, 32)}`)
  if (size <= data.length) return size
  throw new ChainError(subject, { reason: `it is invalid at byte ${byte}` })
}

function digitsAt(data: Hex, byte: number, bytes: number): string {
  const digits = data.slice(2 + 2 * byte, 2 + 2 * (byte + bytes))
  if (digits.length === 2 * bytes) return digits
  throw new ChainError(subject, { reason: `it ends before byte ${byte + bytes}` })
}
