import { atomicUsdc } from '@farebox/money'
import fc from 'fast-check'
import {
  channelId,
  newCall,
  newChannel,
  newDeposit,
  voucher,
} from '../../src/conformance/channels/channel-fixtures.ts'
import { exported, hex, listed, start } from '../../src/conformance/fixtures.ts'
import {
  type ChannelEvent,
  type ChannelMovement,
  type ChannelRecord,
  channelAmounts,
  type LedgerStore,
  type PaymentEvent,
  type PaymentRecord,
  type TransferProof,
} from '../../src/index.ts'
import { asText, codeOf } from '../transition/random-steps.ts'

/** What can happen in the history of two channels. `pick` chooses among what it can happen to. */
export type HistoryStep = {
  readonly what:
    | 'deposit'
    | 'deposit elsewhere'
    | 'prove'
    | 'lose deposit'
    | 'expire'
    | 'call'
    | 'end'
    | 'claim'
    | 'lose movement'
    | 'announce'
    | 'withdraw'
    | 'close'
    | 'refund'
    | 'settle'
    | 'read again'
  readonly channel: number
  readonly pick: number
  readonly amount: number
}

const weights: Readonly<Record<HistoryStep['what'], number>> = {
  deposit: 3,
  'deposit elsewhere': 1,
  prove: 4,
  'lose deposit': 1,
  expire: 1,
  call: 12,
  end: 10,
  claim: 3,
  'lose movement': 2,
  announce: 1,
  withdraw: 1,
  close: 1,
  refund: 2,
  settle: 1,
  'read again': 1,
}

const steps = Object.entries(weights).map(([what, weight]) => ({
  weight,
  arbitrary: fc.constant(what as HistoryStep['what']),
}))

export const randomHistories: fc.Arbitrary<readonly HistoryStep[]> = fc.array(
  fc.record({
    what: fc.oneof(...steps),
    channel: fc.integer({ min: 1, max: 2 }),
    pick: fc.nat(20),
    amount: fc.nat(1_500),
  }),
  { minLength: 30, maxLength: 90, size: 'max' },
)

/** The result of one step, or the code of its error. */
export async function live(store: LedgerStore, step: HistoryStep, index: number): Promise<unknown> {
  return take(store, step, index).catch(codeOf)
}

/** Every result and the final contents of a store as text, equal for equal stores. */
export async function historyOf(
  store: LedgerStore,
  history: readonly HistoryStep[],
): Promise<readonly string[]> {
  const results: string[] = []
  for (const [index, step] of history.entries()) {
    results.push(`${index} ${asText(step)}: ${asText(await live(store, step, index))}`)
  }
  for (const channel of [1, 2]) {
    const base = await store.unusedBase(channelId(channel), atomicUsdc(0n), atomicUsdc(500n))
    const published = await store.publishVoucher(channelId(channel)).catch(codeOf)
    results.push(asText([base, published]))
  }
  const contents = [
    exported(store),
    listed(store.exportChannels()),
    listed(store.exportMovements()),
  ] as const
  results.push(asText(await Promise.all(contents)))
  results.push(asText([await store.channelTotals(), await store.owed()]))
  return results
}

async function take(store: LedgerStore, step: HistoryStep, index: number): Promise<unknown> {
  const { what, channel, amount } = step
  const value = BigInt(1 + amount)
  switch (what) {
    case 'deposit':
      return store.claimDeposit(newDeposit(channel, 100 + index, 4n * value), newChannel(channel))
    case 'prove':
    case 'lose deposit':
    case 'expire':
      return changeDeposit(store, step, index)
    case 'call':
      return call(store, step, index)
    case 'end':
      return end(store, step, index)
    case 'lose movement':
      return loseMovement(store, step, index)
    case 'settle':
      return settle(store, index)
    case 'deposit elsewhere':
    case 'claim':
    case 'announce':
    case 'withdraw':
    case 'close':
    case 'refund':
      return onChain(store, step, index)
    case 'read again':
      return readAgain(store, step, index)
  }
}

/** The log of a deposit that a payment may prove, before or after this. */
async function readAgain(store: LedgerStore, step: HistoryStep, index: number): Promise<unknown> {
  const deposit = chosen(await paymentsOf(store, step.channel, 'channel_deposit'), step.pick)
  if (deposit === undefined) return 'none'
  const { value: amount } = deposit.authorization
  const log = { proof: logOf(1_000 + step.pick), at: timeOf(index) }
  return store.applyToChannel(
    { id: channelId(step.channel) },
    { type: 'deposit_proven', amount, ...log },
  )
}

async function changeDeposit(
  store: LedgerStore,
  step: HistoryStep,
  index: number,
): Promise<unknown> {
  const deposits = await paymentsOf(store, step.channel, 'channel_deposit')
  const deposit = chosen(deposits, step.pick)
  if (deposit === undefined) return 'none'
  const at = timeOf(index)
  const events: Readonly<Record<string, PaymentEvent>> = {
    prove: { type: 'settlement_proven', proof: logOf(1_000 + step.pick), at },
    'lose deposit': { type: 'settlement_lost', at },
    expire: { type: 'authorization_expired', at },
  }
  const event = events[step.what]
  if (event === undefined || (await isSpent(store, step, deposit))) return 'none'
  return store.apply(deposit, event)
}

/** A reorganization that takes a deposit also takes what was paid out of it, and that first. */
async function isSpent(
  store: LedgerStore,
  { what, channel }: HistoryStep,
  { authorization }: PaymentRecord,
): Promise<boolean> {
  const record = await store.loadChannel(channelId(channel))
  if (what !== 'lose deposit' || record === undefined) return false
  return record.deposited - authorization.value < record.returned + record.claimed
}

async function call(store: LedgerStore, step: HistoryStep, index: number): Promise<unknown> {
  const { channel, pick, amount } = step
  const record = await store.loadChannel(channelId(channel))
  const base = (record?.charged ?? 0n) + (record?.reserved ?? 0n)
  const value = BigInt(1 + amount)
  // Some vouchers are too low, some were used before, some are higher than they need be.
  const max = base + value + BigInt(pick % 4 === 0 ? pick - 10 : pick % 3)
  return store.holdCall(newCall(channel, 300 + index, value), voucher(max < 1n ? 1n : max))
}

async function end(store: LedgerStore, step: HistoryStep, index: number): Promise<unknown> {
  const calls = await paymentsOf(store, step.channel, 'channel_call')
  const current = chosen(
    calls.filter(({ status }) => status === 'serving'),
    step.pick,
  )
  if (current === undefined) return 'none'
  const rest = { refund: { kind: 'batch' }, at: timeOf(index) } as const
  const cost = atomicUsdc(BigInt(Math.max(step.amount - 100, 0)))
  return store.apply(
    current,
    step.pick % 5 === 0
      ? { type: 'service_failed', reason: 'upstream_failed', ...rest }
      : { type: 'service_completed', cost, usage: null, ...rest },
  )
}

async function onChain(store: LedgerStore, step: HistoryStep, index: number): Promise<unknown> {
  const record = await store.loadChannel(channelId(step.channel))
  if (record === undefined) return 'none'
  const event = chainEvent(record, step, index)
  return event === null ? 'none' : store.applyToChannel(record, event)
}

/** What the contract allows in a channel that is as the record says. */
function chainEvent(record: ChannelRecord, step: HistoryStep, index: number): ChannelEvent | null {
  const at = timeOf(index)
  const proof = logOf(index)
  const { claimable, refundable } = channelAmounts(record)
  const rest = atomicUsdc(record.deposited - record.returned - record.claimed)
  const { closing, withdrawAt } = { closing: record.status === 'closing', ...record }
  switch (step.what) {
    case 'claim':
      return { type: 'claim_proven', amount: claimable, proof, at }
    case 'announce':
      return { type: 'withdraw_announced', withdrawAt: index, at }
    case 'withdraw':
      return withdrawAt === null
        ? null
        : { type: 'returned', by: 'withdrawal', amount: rest, proof, at }
    case 'close':
      return { type: 'closing', at }
    case 'refund':
      return closing && record.reserved === 0n
        ? { type: 'returned', by: 'refund', amount: refundable, proof, at }
        : null
    default:
      return { type: 'deposit_proven', amount: atomicUsdc(BigInt(1 + step.amount)), proof, at }
  }
}

async function loseMovement(
  store: LedgerStore,
  step: HistoryStep,
  index: number,
): Promise<unknown> {
  const movements = (await listed(store.exportMovements())).map(({ movement }) => movement)
  const movement = chosen(movements, step.pick)
  if (movement === undefined) return 'none'
  const { kind, channelId: id, chainId, amount, proof } = movement
  const at = timeOf(index)
  if (id === null) {
    return store.recordSettle({ type: 'settle_lost', chainId, amount, proof, at })
  }
  const record = await store.loadChannel(id)
  const escrow = record === undefined ? 0n : record.deposited - record.returned - record.claimed
  if (kind === 'deposit' && escrow < amount) return 'none'
  return store.applyToChannel({ id }, lossOf(movement, at))
}

function lossOf({ kind, amount, proof }: ChannelMovement, at: number): ChannelEvent {
  switch (kind) {
    case 'refund':
    case 'withdrawal':
      return { type: 'return_lost', by: kind, amount, proof, at }
    case 'claim':
      return { type: 'claim_lost', amount, proof, at }
    default:
      return { type: 'deposit_lost', amount, proof, at }
  }
}

async function settle(store: LedgerStore, index: number): Promise<unknown> {
  const { unsettled } = await store.channelTotals()
  if (unsettled <= 0n) return 'none'
  const amount = atomicUsdc(unsettled)
  const rest = { chainId: 84532, proof: logOf(index), at: timeOf(index) }
  return store.recordSettle({ type: 'settled', amount, ...rest })
}

async function paymentsOf(
  store: LedgerStore,
  channel: number,
  kind: PaymentRecord['kind'],
): Promise<readonly PaymentRecord[]> {
  return (await exported(store))
    .map(({ payment }) => payment)
    .filter((payment) => payment.kind === kind && payment.channelId === channelId(channel))
}

function chosen<Item>(items: readonly Item[], pick: number): Item | undefined {
  return items[pick % Math.max(items.length, 1)]
}

function timeOf(index: number): number {
  return start + 1_000 * index
}

function logOf(number: number): TransferProof {
  return {
    transaction: hex(0x10000 + number, 32),
    block: 101 + number,
    blockHash: hex(number, 32),
    logIndex: 1,
  }
}
