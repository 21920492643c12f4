import type { RefundTransfer } from '@farebox/ledger'
import { expect, test } from 'vitest'
import type { ReadyRefund } from '../../src/refund-worker/prepare-refund.ts'
import { recordSending, sendRefunds } from '../../src/refund-worker/send-refunds.ts'
import { signRefund, unblockRefund } from '../../src/refund-worker/sign-refund.ts'
import {
  expiry,
  nonceOf,
  payer,
  proof,
  refunded,
  refundTransfer,
  refundWorld,
  start,
  transferred,
  treasury,
} from '../support/refund-world.ts'

const now = start / 1_000
const day = 86_400

function readyOf(transfer: RefundTransfer): ReadyRefund {
  const { nonce, asset, amount: value } = transfer
  const refund = {
    ...{ nonce, asset, from: treasury, to: payer, value, validAfter: 0 },
    validBefore: expiry,
    signature: '0x5',
  } as const
  return { transfer, refund, payments: [refunded()], leased: transfer }
}
const [first, second] = [refundTransfer(), refundTransfer({ nonce: nonceOf(4) })]
const batch = [readyOf(first), readyOf(second)]

test('a batch is sent in one transaction, and the paused refunds continue', async () => {
  const { ports, sent, noticed } = refundWorld([first, second])
  ports.breaker.trip('no_gas')
  expect(await sendRefunds(ports, batch)).toEqual({ batch, transaction: '0x8' })
  expect(sent).toEqual([[nonceOf(3), nonceOf(4)]])
  expect(noticed()).toEqual(['refunds_paused', 'refunds_resumed'])
  expect(await sendRefunds(ports, [])).toBeUndefined()
})

test('a batch that may have been sent is looked up', async () => {
  const made = refundWorld([first, second])
  const send = async () => ({ status: 'unknown', transaction: null }) as never
  const ports = { ...made.ports, sender: { ...made.ports.sender, send } }
  ports.breaker.trip('no_gas')
  expect(await sendRefunds(ports, batch)).toEqual({ batch, transaction: null })
  expect(made.noticed()).toEqual(['refunds_paused'])
})

test('a batch that cannot be sent pauses all refunds, and its own wait', async () => {
  const made = refundWorld([first, second])
  const send = async () => ({ status: 'unavailable', reason: 'no_gas' }) as never
  const ports = { ...made.ports, sender: { ...made.ports.sender, send } }
  expect(await sendRefunds(ports, batch)).toBeUndefined()
  expect(made.noticed()).toEqual(['refunds_paused'])
  for (const name of [3, 4]) {
    expect(await made.refundNow(nonceOf(name))).toMatchObject({ nextAttemptAt: start + 5_000 })
  }
})

test('refunds that were blocked and cannot be sent stay blocked, and are not reported again', async () => {
  const leased = refundTransfer({ status: 'blocked', reason: 'no_gas' })
  const made = refundWorld([first])
  const send = async () => ({ status: 'unavailable', reason: 'no_gas' }) as never
  const ports = { ...made.ports, sender: { ...made.ports.sender, send } }
  expect(await sendRefunds(ports, [{ ...readyOf(first), leased }])).toBeUndefined()
  expect(made.noticed()).toEqual(['refunds_paused'])
  expect(await made.refundNow()).toMatchObject({ status: 'blocked', reason: 'no_gas' })
})

test('a refund that was blocked is unblocked once it is sent', async () => {
  const leased = refundTransfer({ status: 'blocked', reason: 'no_gas' })
  const { ports, noticed } = refundWorld([first])
  await sendRefunds(ports, [{ ...readyOf(first), leased }])
  expect(noticed()).toEqual(['refund_unblocked'])
})

test('a refund that is in a block at once is confirmed with one write, and one that failed alone waits', async () => {
  const { world, ports, refundNow, noticed } = refundWorld([first, second])
  world.uses.set(nonceOf(3), transferred())
  await recordSending(ports, { batch, transaction: '0x8' }, 1_000)
  expect(await refundNow()).toMatchObject({ status: 'confirmed', proof, version: 2 })
  expect(await refundNow(nonceOf(4))).toMatchObject({
    status: 'submitted',
    transaction: '0x8',
    nextAttemptAt: start + 2_000,
  })
  expect(noticed().filter((type) => type === 'refund_submitted')).toHaveLength(2)
})

test('a transaction that is not in a block yet is not looked up', async () => {
  const made = refundWorld([first, second])
  made.world.uses.set(nonceOf(3), transferred())
  const isMined = async (_: string, waitMs: number) => waitMs !== 1_000
  const ports = { ...made.ports, sender: { ...made.ports.sender, isMined } }
  await recordSending(ports, { batch, transaction: '0x8' }, 1_000)
  expect(await made.refundNow()).toMatchObject({ status: 'submitted', transaction: '0x8' })
})

test('without a transaction the others are looked up once the first is on the chain', async () => {
  const { world, ports, refundNow, noticed } = refundWorld([first, second])
  world.uses.set(nonceOf(4), { ...transferred(), proof: { ...proof, logIndex: 1 } })
  await recordSending(ports, { batch, transaction: null }, 1_000)
  expect(await refundNow(nonceOf(4))).toMatchObject({
    status: 'signed',
    nextAttemptAt: start + 2_000,
  })
  world.uses.set(nonceOf(3), transferred())
  const again = await Promise.all(
    [3, 4].map(async (name) => readyOf(await refundNow(nonceOf(name)))),
  )
  await recordSending(ports, { batch: again, transaction: null }, 1_000)
  expect([(await refundNow()).status, (await refundNow(nonceOf(4))).status]).toEqual([
    'confirmed',
    'confirmed',
  ])
  expect(noticed()).not.toContain('refund_submitted')
})

test('a node that fails after a sending is asked again soon', async () => {
  const made = refundWorld([first, second])
  const authorizationUse = async () => Promise.reject(new Error('no answer'))
  const ports = { ...made.ports, chain: { ...made.ports.chain, authorizationUse } }
  await recordSending(ports, { batch, transaction: '0x8' }, 1_000)
  expect(await made.refundNow()).toMatchObject({ status: 'submitted' })
  expect(made.noticed()).toContain('fault')
})

test.each<readonly [string, Partial<RefundTransfer>, boolean]>([
  ['in force', { validBefore: now + 601 }, false],
  ['that ends too soon', { validBefore: now + 600 }, true],
  ['that was dropped', { signature: null, status: 'waiting' }, true],
  ['that was never made', { signature: null, validBefore: null, status: 'waiting' }, true],
])('a signature %s', async (_, changes, isNew) => {
  const transfer = refundTransfer(changes)
  const { ports, signed, refundNow } = refundWorld([transfer])
  const result = await signRefund(ports, transfer)
  const validBefore = isNew ? now + day : transfer.validBefore
  const terms = { nonce: nonceOf(3), from: treasury, to: payer, value: 6_000n, validBefore }
  expect(result?.refund).toMatchObject({ ...terms, signature: isNew ? '0x6' : '0x5' })
  expect(signed).toHaveLength(isNew ? 1 : 0)
  expect(result?.transfer).toEqual(await refundNow())
})

test.each(['blocked', 'submitted'] as const)(
  'a refund that is %s is signed again after its signature was dropped',
  async (status) => {
    const transfer = refundTransfer({
      status,
      validBefore: now,
      reason: 'reverts',
      transaction: '0x8',
    })
    const { ports, refundNow } = refundWorld([transfer])
    const result = await signRefund(ports, transfer)
    expect(result?.transfer).toMatchObject({ status: 'signed', signature: '0x6', version: 3 })
    expect(await refundNow()).toEqual(result?.transfer)
  },
)

test.each([
  refundTransfer({ version: 0, signature: null, status: 'waiting' }),
  refundTransfer({ version: 0, status: 'blocked', validBefore: now }),
])('a refund that another replica changed first is not signed: $status', async (stale) => {
  const { ports } = refundWorld([refundTransfer({ signature: null, status: 'waiting' })])
  expect(await signRefund(ports, stale)).toBeUndefined()
})

test('a blocked refund whose obstacle is gone is unblocked and signed, and any other left', async () => {
  const blocked = refundTransfer({ status: 'blocked', reason: 'reverts' })
  const { ports, refundNow } = refundWorld([blocked])
  const { refund } = readyOf(blocked)
  const ready = await unblockRefund(ports, { transfer: blocked, refund })
  expect(ready?.transfer).toMatchObject({ status: 'signed', signature: '0x6' })
  expect(await refundNow()).toEqual(ready?.transfer)
  expect(await unblockRefund(ports, ready!)).toBe(ready)
  expect(await unblockRefund(ports, { transfer: blocked, refund })).toBeUndefined()
})
