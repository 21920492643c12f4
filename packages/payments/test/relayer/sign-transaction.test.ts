import {
  type Hex,
  keccak256,
  parseTransaction,
  recoverTransactionAddress,
  serializeTransaction,
} from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { expect, test } from 'vitest'
import { signerFor } from '../../src/relayer/sign-transaction.ts'
import { createKeySigner } from '../../src/signature/key-signer.ts'

const privateKey: Hex = `0x${'4c'.repeat(32)}`
const to: Hex = `0x${'00a1'.repeat(10)}`

/** Around the lengths and numbers at which Recursive Length Prefix takes another form. */
const lengths = [0, 1, 55, 56, 255, 256, 65_536]
const numbers = [0, 1, 127, 128, 255, 256, 2 ** 40]
const cases = lengths.map((length, index) => ({ length, number: numbers[index] ?? 0 }))

async function signed(length: number, number: number) {
  const signer = createKeySigner(privateKey)
  if (signer === undefined) throw new TypeError('the key is not valid')
  const data: Hex = `0x${'07'.repeat(length)}`
  const amounts = { gas: BigInt(number), nonce: number }
  const fees = { maxFeePerGas: BigInt(number) + 1n, maxPriorityFeePerGas: BigInt(number) }
  const chainId = number + 1
  const transaction = await signerFor(signer, chainId)({ call: { to, data }, ...amounts, fees })
  return {
    ...transaction,
    unsigned: { type: 'eip1559', chainId, to, data, ...amounts, ...fees } as const,
  }
}

test.each(cases)(
  'a transaction with $length bytes and the number $number is what a general serializer writes',
  async ({ length, number }) => {
    const { raw, transaction, unsigned } = await signed(length, number)
    const { r, s, yParity } = parseTransaction(raw)
    if (r === undefined || s === undefined || yParity === undefined) {
      throw new TypeError('the transaction has no signature')
    }
    expect(raw).toBe(serializeTransaction(unsigned, { r, s, yParity }))
    expect(transaction).toBe(keccak256(raw))
  },
)

test('a transaction is signed by the key', async () => {
  const { raw } = await signed(100, 9)
  const serializedTransaction = raw as `0x02${string}`
  expect(await recoverTransactionAddress({ serializedTransaction })).toBe(
    privateKeyToAddress(privateKey),
  )
})
