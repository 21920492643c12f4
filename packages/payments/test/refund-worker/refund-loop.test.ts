import { LedgerError, type RefundTransfer } from '@farebox/ledger'
import { expect, test } from 'vitest'
import { runRefundRound } from '../../src/refund-worker/refund-round.ts'
import { createRefundWorker } from '../../src/refund-worker/refund-worker.ts'
import { SigningError } from '../../src/signature/signing-error.ts'
import {
  nonceOf,
  proof,
  refundTransfer,
  refundWorld,
  start,
  transferred,
} from '../support/refund-world.ts'

const waiting = (name: number, changes: Partial<RefundTransfer> = {}) =>
  refundTransfer({
    nonce: nonceOf(name),
    status: 'waiting',
    signature: null,
    validBefore: null,
    ...changes,
  })
const confirmed = (name: number, changes: Partial<RefundTransfer> = {}) =>
  refundTransfer({
    ...{ nonce: nonceOf(name), status: 'confirmed', transaction: '0x8' },
    proof: { ...proof, logIndex: name },
    ...changes,
  })

/** What one round of these refunds did, and how long it waited for a block. */
function round(
  transfers: readonly RefundTransfer[],
  policy: Parameters<typeof refundWorld>[1] = {},
) {
  const made = refundWorld(transfers, policy)
  const waits: number[] = []
  const isMined = async (_: string, waitMs: number) => {
    waits.push(waitMs)
    return false
  }
  made.world.held = 10n ** 9n
  return { ...made, waits, ports: { ...made.ports, sender: { ...made.ports.sender, isMined } } }
}

test('a round leases what is due for a minute, and sends it in batches', async () => {
  const transfers = [1, 2, 3].map((name) => waiting(name))
  const { ports, sent } = round([...transfers, confirmed(4)], { policy: { refundBatchSize: 2 } })
  const asked: unknown[] = []
  const leaseRefunds: typeof ports.store.leaseRefunds = async (request) => {
    asked.push(request)
    return await ports.store.leaseRefunds(request)
  }
  expect(await runRefundRound({ ...ports, store: { ...ports.store, leaseRefunds } })).toEqual({
    transfers: 4,
    open: 3,
    batched: 0,
    sent: 3,
    faults: 0,
  })
  expect(sent).toEqual([[nonceOf(1), nonceOf(2)], [nonceOf(3)]])
  expect(asked).toEqual([{ owner: 'replica', now: start, until: start + 60_000, limit: 500 }])
})

test.each([
  [2, 2_000 + 20_000],
  [1, 0],
])(
  'with %d of them at most in a round, it waits %d ms for the block',
  async (refundRoundSize, waitMs) => {
    const { ports, waits } = round([waiting(1)], { policy: { refundRoundSize } })
    await runRefundRound(ports)
    expect(waits).toEqual([waitMs])
  },
)

test('small refunds are batched when it is time', async () => {
  const { ports } = round([])
  const smallRefundsDue = async () => Promise.reject(new Error('asked'))
  const store = { ...ports.store, smallRefundsDue }
  expect(await runRefundRound({ ...ports, store })).toMatchObject({ batched: 0 })
  const due = { ...ports, store, takeBatchingTurn: () => true }
  await expect(runRefundRound(due)).rejects.toThrow('asked')
})

test('the least that is worth a transfer is read before each round', async () => {
  let reads = 0
  const refresh = async () => {
    reads += 1
  }
  const { ports } = round([])
  await runRefundRound({ ...ports, refundMinimum: { ...ports.refundMinimum, refresh } })
  expect(reads).toBe(1)
})

/** A signer that fails for these refunds. */
function failingFor(names: readonly number[], error: Error, transfers: readonly RefundTransfer[]) {
  const made = round(transfers)
  const sign = async ({ nonce }: { readonly nonce: string }) => {
    if (names.some((name) => nonceOf(name) === nonce)) throw error
    return '0x6' as const
  }
  return { ...made, ports: { ...made.ports, signer: { ...made.ports.signer, sign } } }
}

test('a refund that fails delays no other, and is tried again soon', async () => {
  const { ports, refundNow, notices } = failingFor([1], new Error('busy'), [waiting(1), waiting(2)])
  expect(await runRefundRound(ports)).toMatchObject({ sent: 1, faults: 1 })
  expect(await refundNow(nonceOf(1))).toMatchObject({
    status: 'waiting',
    nextAttemptAt: start + 5_000,
  })
  expect(notices).toMatchObject([
    { type: 'fault', during: 'refunds' },
    { type: 'refund_submitted' },
  ])
  expect(ports.breaker.state()).toBeNull()
})

test.each([
  ['signer_down', new SigningError('unavailable', '0x1')],
  ['ledger_down', new LedgerError('store_unavailable', 'the disk is full')],
  ['rpc_down', new Error('no answer')],
] as const)('when all fail, all are paused: %s', async (reason, error) => {
  const { ports } = failingFor([1, 2], error, [waiting(1), waiting(2)])
  expect(await runRefundRound(ports)).toMatchObject({ sent: 0, faults: 2 })
  expect(ports.breaker.state()?.reason).toBe(reason)
})

test('a refund with a row that cannot be read pauses no other, and is tried again in a minute', async () => {
  const error = new LedgerError('corrupt_row', 'an invalid usage in the row of pay_1')
  const { ports, refundNow, notices } = failingFor([1], error, [waiting(1)])
  expect(await runRefundRound(ports)).toMatchObject({ sent: 0, faults: 1 })
  expect(ports.breaker.state()).toBeNull()
  expect(await refundNow(nonceOf(1))).toMatchObject({
    status: 'waiting',
    nextAttemptAt: start + 60_000,
  })
  expect(notices).toEqual([{ type: 'fault', during: 'refunds', error }])
})

test('when all fail, all are paused, although the row of one cannot be read', async () => {
  const { ports, refundNow } = round([waiting(1), waiting(2)])
  const sign = async ({ nonce }: { readonly nonce: string }) => {
    if (nonce === nonceOf(1)) throw new LedgerError('corrupt_row', 'an invalid usage')
    throw new Error('no answer')
  }
  const failing = { ...ports, signer: { ...ports.signer, sign } }
  expect(await runRefundRound(failing)).toMatchObject({ sent: 0, faults: 2 })
  expect(ports.breaker.state()?.reason).toBe('rpc_down')
  expect(await refundNow(nonceOf(1))).toMatchObject({ nextAttemptAt: start + 60_000 })
})

test('an empty round pauses nothing', async () => {
  const { ports } = round([])
  await runRefundRound(ports)
  expect(ports.breaker.state()).toBeNull()
})

test('a confirmed refund that cannot be checked is looked at again two polls later', async () => {
  const made = round([confirmed(1), waiting(2)])
  const confirmationsOf = async () => Promise.reject(new Error('no answer'))
  const ports = { ...made.ports, chain: { ...made.ports.chain, confirmationsOf } }
  await runRefundRound(ports)
  expect(await made.refundNow(nonceOf(1))).toMatchObject({
    status: 'confirmed',
    nextAttemptAt: start + 4_000,
  })
})

test.each([
  ['submitted', refundTransfer({ status: 'submitted', transaction: '0x8' })],
  ['confirmed', confirmed(3)],
] as const)(
  'a %s refund that cannot be looked up pauses no other, and is not blocked by a pause',
  async (status, transfer) => {
    const made = round([transfer])
    const down = async () => Promise.reject(new Error('too many requests'))
    const chain = { ...made.ports.chain, authorizationUse: down, confirmationsOf: down }
    const ports = { ...made.ports, chain }
    expect(await runRefundRound(ports)).toMatchObject({ sent: 0, faults: 1 })
    expect(ports.breaker.state()).toBeNull()
    ports.breaker.trip('rpc_down')
    made.world.now += 20_000
    await runRefundRound(ports)
    const nextAttemptAt = made.world.now + 4_000
    expect(await made.refundNow()).toMatchObject({ status, reason: null, nextAttemptAt })
  },
)

test('a store that fails too, or has lost the refund, ends no round', async () => {
  for (const loadRefund of [async () => Promise.reject(new Error('full')), async () => undefined]) {
    const { ports } = failingFor([1], new Error('busy'), [waiting(1)])
    const store = { ...ports.store, loadRefund }
    expect(await runRefundRound({ ...ports, store })).toMatchObject({ faults: 1 })
  }
})

test('a sending that fails is a fault, and the other batches are sent', async () => {
  const made = round([waiting(1), waiting(2)], { policy: { refundBatchSize: 1 } })
  let sendings = 0
  const send = async () => {
    sendings += 1
    if (sendings === 1) throw new Error('no answer')
    return { status: 'sent', transaction: '0x8' } as const
  }
  const ports = { ...made.ports, sender: { ...made.ports.sender, send } }
  expect(await runRefundRound(ports)).toMatchObject({ sent: 1, faults: 1 })
  expect(made.noticed()).toEqual(['fault', 'refund_submitted'])
})

/** A worker on timers that the test advances, and the rounds that it began. */
function worker(transfers: readonly RefundTransfer[] = []) {
  const made = round(transfers, {})
  const pauses: number[] = []
  let next: (() => void) | undefined
  const timers = {
    after: (milliseconds: number, callback: () => void) => {
      pauses.push(milliseconds)
      next = callback
      return () => {
        next = undefined
      }
    },
  }
  const leases: string[] = []
  const leaseRefunds: typeof made.store.leaseRefunds = async (request) => {
    leases.push(request.owner)
    return await made.store.leaseRefunds(request)
  }
  let batchings = 0
  const smallRefundsDue = async () => {
    batchings += 1
    return []
  }
  const { chain, sender, signer, refundMinimum, clock } = made.ports
  const store = { ...made.store, leaseRefunds, smallRefundsDue }
  const refunds = createRefundWorker({
    ...{ chain, sender, signer, refundMinimum, clock, timers, store },
    owner: 'replica',
    policy: { refundPollMs: 2_000 },
  })
  const advance = async (milliseconds: number) => {
    made.world.now += milliseconds
    next?.()
    await new Promise(setImmediate)
  }
  return { ...made, refunds, pauses, leases, advance, batchings: () => batchings }
}

test('rounds begin half a poll after the last one, on leases of their own', async () => {
  const { refunds, pauses, leases, advance } = worker()
  refunds.start()
  await advance(0)
  await advance(1_000)
  await refunds.stop()
  expect(pauses.every((pause) => pause === 1_000)).toBe(true)
  expect(new Set(leases)).toEqual(new Set(['replica/refunds']))
})

test('small refunds are looked for every five polls, to the millisecond', async () => {
  const { refunds, world, batchings } = worker()
  const after = async (milliseconds: number) => {
    world.now += milliseconds
    await refunds.runOnce()
    return batchings()
  }
  expect([
    await after(0),
    await after(9_999),
    await after(1),
    await after(9_999),
    await after(1),
  ]).toEqual([1, 1, 2, 2, 3])
})

test('a stopped worker drains until nothing is open', async () => {
  const { refunds, leases, sent } = worker([waiting(1)])
  await refunds.stop()
  expect(leases).toEqual([])
  await refunds.stop({ drainMs: 0 })
  expect(leases).toEqual([])
  const draining = refunds.stop({ drainMs: 1 })
  await new Promise(setImmediate)
  expect([leases.length, sent]).toEqual([1, [[nonceOf(1)]]])
  void draining
})

test('draining ends with its deadline, or when nothing is open', async () => {
  const idle = worker([confirmed(1)])
  await idle.refunds.stop({ drainMs: 1_000 })
  expect([idle.leases.length, idle.pauses]).toEqual([1, []])
  const busy = worker([waiting(1), waiting(2)])
  busy.world.uses.set(nonceOf(1), transferred())
  const draining = busy.refunds.stop({ drainMs: 300 })
  for (let turn = 0; turn < 20 && busy.pauses.length === 0; turn += 1) await busy.advance(0)
  for (let turn = 0; turn < 5; turn += 1) await busy.advance(250)
  await draining
  expect([busy.leases.length, busy.pauses[0]]).toEqual([2, 250])
})
