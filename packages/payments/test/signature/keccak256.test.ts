import { createKeccak } from 'hash-wasm'
import { bytesToHex, hexToBytes, stringToBytes } from 'viem'
import { expect, test } from 'vitest'
import { keccak256 } from '../../src/signature/keccak256.ts'

/** From the Keccak team's test vectors, and Ethereum's hash of nothing. */
const vectors = [
  [new Uint8Array(), '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'],
  [hexToBytes('0xcc'), '0xeead6dbfc7340a56caedc044696a168870549a6a7f6f56961e84a54bd9970b8a'],
  [stringToBytes('abc'), '0x4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45'],
] as const

const early = vectors.map(([bytes]) => bytesToHex(keccak256(bytes)))

test('hashes are the same before and after WebAssembly has started', async () => {
  const expected = vectors.map(([, hash]) => hash)
  expect(early).toEqual(expected)
  await createKeccak(256)
  expect(vectors.map(([bytes]) => bytesToHex(keccak256(bytes)))).toEqual(expected)
})
