import { type Authorization, createPaymentId } from '@farebox/ledger'
import { concat, encodeFunctionData, type Hex, parseAbi } from 'viem'
import { expect, test } from 'vitest'
import { encodeMulticall } from '../../src/calls/multicall.ts'
import { findSaleMark, saleMark } from '../../src/calls/sale-mark.ts'
import { transferCall } from '../../src/calls/transfer-call.ts'
import { network, usdc } from '../support/pay.ts'

const [one, two] = [1, 2].map((byte) => saleMark(createPaymentId(new Uint8Array(16).fill(byte))))
const signature: Hex = `0x${'c'.repeat(128)}1b`

function authorizationOf(digit: string): Authorization {
  return {
    chainId: network.chainId,
    asset: network.usdc,
    from: `0x${digit.repeat(40)}`,
    to: `0x${'9'.repeat(40)}`,
    value: usdc(1_000n),
    validAfter: 0,
    validBefore: 1_900_000_000,
    nonce: `0x${'7'.repeat(64)}`,
  }
}
const [first, second] = [authorizationOf('1'), authorizationOf('2')]

const marked = (authorization: Authorization, mark: Hex = '0x') => {
  const { to, data } = transferCall({ ...authorization, signature })
  return { to, data: concat([data, mark]) }
}

test('each transfer of a group has its own mark, also with the same nonce', () => {
  const data = encodeMulticall([marked(first, one), marked(second, two)])
  expect(findSaleMark(data, first)).toBe(one)
  expect(findSaleMark(data, second)).toBe(two)
})

test('the mark of a transfer that a wallet signed stands behind its signature', () => {
  const { from, to, value, validAfter, validBefore, nonce } = first
  const data = encodeFunctionData({
    abi: parseAbi([
      'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
    ]),
    args: [from, to, value, BigInt(validAfter), BigInt(validBefore), nonce, signature],
  })
  expect(findSaleMark(concat([data, one ?? '0x']), first)).toBe(one)
})

test('a transfer without a mark, or another one, has none', () => {
  expect(findSaleMark(marked(first).data, first)).toBeNull()
  expect(findSaleMark(marked(first, one).data, second)).toBeNull()
})
