import {
  decodeFunctionData,
  encodeFunctionData,
  encodeFunctionResult,
  type Hex,
  keccak256,
  parseAbi,
} from 'viem'
import { describe, expect, test } from 'vitest'
import { decodeMulticall, encodeMulticall } from '../../src/calls/multicall.ts'
import { transferCall } from '../../src/calls/transfer-call.ts'
import { ChainError } from '../../src/rpc/chain-error.ts'

const tokenAbi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
])
const multicallAbi = parseAbi([
  'struct Call3 { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call3[] calls) payable returns (Result[] returnData)',
])

function bytes(length: number, seed: string): Hex {
  return `0x${keccak256(`0x${Buffer.from(seed).toString('hex')}`).slice(2, 2 + 2 * length)}`
}

const transfers = [0n, 1n, 20_000n, 2n ** 256n - 1n].map((value, index) => ({
  asset: bytes(20, 'asset'),
  from: bytes(20, `from${index}`),
  to: bytes(20, `to${index}`),
  value,
  validAfter: index,
  validBefore: 1_900_000_000 + index,
  nonce: bytes(32, `nonce${index}`),
  signature: `${bytes(32, `r${index}`)}${bytes(32, `s${index}`).slice(2)}${index % 2 === 0 ? '1b' : '1c'}`,
})) as readonly Parameters<typeof transferCall>[0][]

describe('the calldata of a transfer', () => {
  test.each(transfers)('of $value decodes to its fields', (transfer) => {
    const { from, to, value, validAfter, validBefore, nonce, signature } = transfer
    const { data } = transferCall(transfer)
    const args = [
      from,
      to,
      value,
      BigInt(validAfter),
      BigInt(validBefore),
      nonce,
      Number(`0x${signature.slice(130)}`),
      `0x${signature.slice(2, 66)}`,
      `0x${signature.slice(66, 130)}`,
    ] as const
    const functionName = 'transferWithAuthorization'
    expect(data).toBe(encodeFunctionData({ abi: tokenAbi, functionName, args }))
  })
})

describe('the calldata of Multicall3', () => {
  const odd = { to: bytes(20, 'odd'), data: '0x010203' } as const
  const none = { to: bytes(20, 'none'), data: '0x' } as const
  const groups = [[], [none], [odd, none, odd], transfers.map(transferCall)]

  test.each(groups.map((calls) => ({ calls, count: calls.length })))(
    'with $count calls is what a general encoder writes',
    ({ calls }) => {
      const data = encodeMulticall(calls)
      const args = [
        calls.map(({ to, data: callData }) => ({ target: to, allowFailure: true, callData })),
      ] as const
      expect(data).toBe(encodeFunctionData({ abi: multicallAbi, functionName: 'aggregate3', args }))
      expect(decodeFunctionData({ abi: multicallAbi, data }).args[0]).toHaveLength(calls.length)
    },
  )
})

describe('the results of Multicall3', () => {
  const results = [
    { success: true, returnData: '0x' },
    { success: false, returnData: '0x010203' },
    { success: true, returnData: bytes(32, 'word') },
    { success: false, returnData: `0x${'ab'.repeat(200)}` },
  ] as const
  const functionName = 'aggregate3'

  test.each([[], results.slice(0, 1), results])('are what a general encoder wrote', (...of) => {
    const data = encodeFunctionResult({ abi: multicallAbi, functionName, result: of })
    expect(decodeMulticall(data)).toEqual(of)
  })

  test('that end early are refused', () => {
    const data = encodeFunctionResult({ abi: multicallAbi, functionName, result: results })
    for (const end of [2, 66, data.length - 64]) {
      expect(() => decodeMulticall(data.slice(0, end) as Hex)).toThrow(ChainError)
    }
  })

  test('that name places outside of the data are refused', () => {
    const far: Hex = `0x${'ff'.repeat(32)}${'00'.repeat(32)}`
    expect(() => decodeMulticall(far)).toThrow(ChainError)
  })
})
