import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LedgerStore, PaymentEvent, RefundTransferEvent } from '@farebox/ledger'
import { atomicUsdc } from '@farebox/money'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { refundCommand } from '../../src/commands/refund.ts'
import { openStore } from '../../src/compose/open-store.ts'
import { runGateway } from '../contract/run-gateway.ts'
import { newSale } from '../support/new-sale.ts'

const nonce = `0x${'ab'.repeat(32)}` as const
const sale = newSale()
let config: { readonly DATABASE_URL: undefined; readonly DATA_DIR: string }
let store: LedgerStore
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-'))
  config = { DATABASE_URL: undefined, DATA_DIR: folder }
  store = await openStore(config)
})
afterAll(async () => {
  await store.close()
  await rm(config.DATA_DIR, { recursive: true })
})

/** A refund of 6 units whose signature is valid for an hour, and which its payee cannot receive. */
async function blockRefund(): Promise<void> {
  const at = Date.now()
  const events: readonly PaymentEvent[] = [
    {
      type: 'settlement_proven',
      proof: { transaction: '0x1', block: 1, blockHash: '0x1', logIndex: 0 },
      begins: true,
      at,
    },
    {
      type: 'service_completed',
      cost: atomicUsdc(4n),
      usage: null,
      refund: { kind: 'transfer', nonce },
      at,
    },
  ]
  const attempts: readonly RefundTransferEvent[] = [
    { type: 'signed', signature: '0x1', validBefore: Math.ceil(at / 1000) + 3_600, at },
    { type: 'blocked', reason: 'blacklisted_payee', nextAttemptAt: at, at },
  ]
  await store.claim(sale)
  for (const event of events) await store.apply((await store.load(sale.id))!, event)
  for (const event of attempts) await store.applyToRefund((await store.loadRefund(nonce))!, event)
}

async function refund(...words: readonly string[]) {
  const lines: string[] = []
  const command = refundCommand(words, (line) => lines.push(line))
  return { code: await command?.(config), lines }
}

test('an operator lists a refund that cannot be delivered, writes it off, and retries it', async () => {
  expect(await refund('list')).toEqual({
    code: 0,
    lines: ['No refund is blocked or written off.'],
  })
  await blockRefund()
  const { lines } = await refund('list')
  expect(lines).toEqual([
    expect.stringMatching(
      new RegExp(`^${nonce}  blocked  blacklisted_payee  .*  6 units .*for ${sale.id}$`),
    ),
    'blocked 6 units, written off 0 units',
  ])
  const listed = await runGateway(['refund', 'list'], { DATA_DIR: config.DATA_DIR }).ended
  expect(listed).toEqual({ code: 0, stdout: `${lines.join('\n')}\n`, stderr: '' })

  expect(await refund('write-off', nonce.toUpperCase().replace('0X', '0x'))).toEqual({
    code: 0,
    lines: [
      expect.stringMatching(
        /will be written off\. This happens once its last signature has expired/,
      ),
    ],
  })
  expect((await refund('list')).lines[0]).toContain('write_off_requested')
  expect(await refund('retry', nonce)).toEqual({
    code: 0,
    lines: [`Refund ${nonce} is owed again and will be sent in the next round.`],
  })
  expect((await store.load(sale.id))?.refund?.status).toBe('due')

  expect(await refund('retry', nonce)).toMatchObject({ code: 1 })
  const none = `0x${'0'.repeat(64)}`
  expect(await refund('write-off', none)).toEqual({
    code: 1,
    lines: [`Refund ${none} was not found. Run \`refund list\` for the nonces.`],
  })
  expect(await refund('write-off', '0x12')).toEqual({
    code: 2,
    lines: [expect.stringMatching(/^0x12 is not a nonce: use 0x and 64 hexadecimal digits/)],
  })
})

test.each([[[]], [['write-off']], [['list', 'x']], [['retry', '0x1', '0x2']]])(
  'refund %j is not a command',
  (words) => {
    expect(refundCommand(words)).toBeUndefined()
  },
)
