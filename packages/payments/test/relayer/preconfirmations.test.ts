import type { Hex } from '@farebox/ledger'
import { createPreconfirmations } from '@farebox/payments/chain'
import type { TransactionReceipt } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startRecordingServer } from '../support/recording-server.ts'

const firstHead = 10
let head = firstHead
const [first, second]: readonly [Hex, Hex] = [`0x${'1'.repeat(64)}`, `0x${'2'.repeat(64)}`]
let node: Awaited<ReturnType<typeof startRecordingServer>>

beforeAll(async () => {
  node = await startRecordingServer((_, response) => {
    const asked: unknown = JSON.parse(node.requests.at(-1)?.body ?? '')
    const answers = [asked].flat().map((call) => {
      const { id, params } = call as { id: number; params: readonly string[] }
      return { jsonrpc: '2.0', id, result: blockAt(params[0] ?? '') }
    })
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(Array.isArray(asked) ? answers : answers[0]))
  })
})
afterAll(() => node.close())

/** The chain of a node. */
function blockAt(at: string): object {
  const number = at === 'latest' ? head : Number(at)
  return { number: `0x${number.toString(16)}`, hash: hashOf(number), timestamp: '0x1' }
}

function hashOf(block: number): Hex {
  return `0x${block.toString(16).padStart(64, 'a')}`
}

function receiptIn(block: number, blockHash: Hex = hashOf(block)): TransactionReceipt {
  const logs = [{ transactionHash: first }]
  const receipt = { transactionHash: first, status: 'success', logs }
  return { ...receipt, blockNumber: BigInt(block), blockHash } as unknown as TransactionReceipt
}

test.each<[number, Hex, object]>([
  [head, hashOf(head), { status: 'sealed' }],
  [head - 1, hashOf(head - 1), { status: 'sealed' }],
  [head - 1, hashOf(head), { status: 'orphaned' }],
  [head, `0x${'0'.repeat(64)}`, { status: 'orphaned' }],
  [head, hashOf(head).toUpperCase().replace('X', 'x') as Hex, { status: 'sealed' }],
  [head + 1, hashOf(head + 1), { status: 'ahead', head }],
])('a receipt of block %i with the hash %s', async (block, hash, place) => {
  const { placeOf } = createPreconfirmations({ rpcUrl: node.url })
  expect(await placeOf(receiptIn(block, hash))).toEqual(place)
})

test('a head that was read before is read again for the block after it', async () => {
  const { isPast } = createPreconfirmations({ rpcUrl: node.url, freshMs: 60_000 })
  expect(await isPast(head)).toBe(false)
  head += 1
  expect(await isPast(firstHead)).toBe(true)
  head = firstHead
})

test('a block is past when the chain has one after it', async () => {
  const { isPast } = createPreconfirmations({ rpcUrl: node.url })
  expect([await isPast(head - 1), await isPast(head)]).toEqual([true, false])
})

test('a receipt is passed on to those that watch one of its transactions, until they end', () => {
  const { watch, show } = createPreconfirmations({ rpcUrl: node.url })
  const shown: string[] = []
  const ends = ['a', 'b'].map((name) => watch(second, () => void shown.push(name)))
  watch(`0x${'3'.repeat(64)}`, () => void shown.push('c'))
  show([second, first], receiptIn(11))
  expect(shown).toEqual(['a', 'b'])
  ends[0]?.()
  show([second, first], receiptIn(11))
  expect(shown).toEqual(['a', 'b', 'b'])
  ends[1]?.()
  show([second, first], receiptIn(11))
  expect(shown.length).toBe(3)
})

test.each([
  ['failed', { status: 'reverted' }],
  ['is of another transaction', { transactionHash: `0x${'4'.repeat(64)}` }],
  ['has a log of another transaction', { logs: [{ transactionHash: second }] }],
])('a receipt that %s is not passed on', (_, change) => {
  const { watch, show } = createPreconfirmations({ rpcUrl: node.url })
  const shown: unknown[] = []
  watch(first, (receipt) => void shown.push(receipt))
  show([first, second], { ...receiptIn(11), ...change } as TransactionReceipt)
  expect(shown).toEqual([])
})
