import { type Authorization, createPaymentId } from '@farebox/ledger'
import { concat, encodeFunctionData, type Hex, parseAbi } from 'viem'
import { expect, test } from 'vitest'
import { encodeMulticall } from '../../src/calls/multicall.ts'
import { transferCall } from '../../src/calls/transfer-call.ts'
import { findSaleMark, saleMark } from '../../src/settlement/sale-mark.ts'
import { network, usdc } from '../support/pay.ts'

const [one, two] = [1, 2].map((byte) => saleMark(createPaymentId(byte, new Uint8Array(10))))
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

const marked = (authorization: Authorization, mark: Hex = '0x', signed = signature) => {
  const { to, data } = transferCall({ ...authorization, signature: signed })
  return { to, data: concat([data, mark]) }
}

const abi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
])
const byWallet = (signed: Hex): Hex => {
  const { from, to, value, validAfter, validBefore, nonce } = first
  const terms = [from, to, value, BigInt(validAfter), BigInt(validBefore), nonce] as const
  return encodeFunctionData({ abi, args: [...terms, signed] })
}

test('each transfer of a group has its own mark, also with the same nonce', () => {
  const data = encodeMulticall([marked(first, one), marked(second, two)])
  expect(findSaleMark(data, first)).toBe(one)
  expect(findSaleMark(data, second)).toBe(two)
})

test.each([0, 1, 32, 65, 500])('the mark follows a wallet’s signature of %i bytes', (length) => {
  const data = byWallet(`0x${'c'.repeat(2 * length)}`)
  expect(findSaleMark(concat([data, one ?? '0x']), first)).toBe(one)
  expect(findSaleMark(data, first)).toBeNull()
})

test('a mark in the signature is not the mark of a sale', () => {
  const written = `0x${two?.slice(2).repeat(5)}1b${'0'.repeat(8)}` as const
  const signed = written.slice(0, 132) as Hex
  expect(findSaleMark(marked(first, one, signed).data, first)).toBe(one)
  expect(findSaleMark(marked(first, '0x', signed).data, first)).toBeNull()
  expect(findSaleMark(byWallet(written), first)).toBeNull()
})

test('a transfer without a mark, or another one, has none', () => {
  expect(findSaleMark(marked(first).data, first)).toBeNull()
  expect(findSaleMark(marked(first, one).data, second)).toBeNull()
})
