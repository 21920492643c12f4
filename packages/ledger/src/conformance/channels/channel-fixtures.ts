import { atomicUsdc, sum, type Usdc } from '@farebox/money'
import type { CallLimits } from '../../channel/call-limits.ts'
import type { ChannelEvent, ReturnKind } from '../../channel/channel-event.ts'
import type { ChannelMovement } from '../../channel/channel-movement.ts'
import type { ChannelRecord, NewChannel, Voucher } from '../../channel/channel-record.ts'
import type { Hex, PaymentRecord } from '../../payment/payment-record.ts'
import type { HoldOutcome } from '../../store/channel-store.ts'
import type { LedgerStore, NewPayment } from '../../store/ledger-store.ts'
import { applyEvents, exported, hex, listed, newPayment, proof, start } from '../fixtures.ts'

/** A channel for each number. Those whose numbers differ by 100 have the same payer. */
export function newChannel(number: number): NewChannel {
  return {
    id: channelId(number),
    chainId: 84532,
    config: {
      payer: payerOf(number),
      payerAuthorizer: payerOf(number),
      receiver: hex(0x7ea5, 20),
      receiverAuthorizer: hex(0x7ea5, 20),
      token: hex(0xa55e7, 20),
      withdrawDelay: 86_400,
      salt: hex(number, 32),
    },
    seenBlock: 100,
    createdAt: start,
  }
}

export function channelId(number: number): Hex {
  return hex(0xc4a00 + number, 32)
}

export function payerOf(number: number): Hex {
  return hex(0xfa000 + (number % 100), 20)
}

/** A payment of `value` units into a channel; each number gives a different authorization. */
export function newDeposit(channel: number, number: number, value = 10_000n): NewPayment {
  const payment = newPayment(number)
  const { authorization } = payment
  return {
    ...payment,
    kind: 'channel_deposit',
    channelId: channelId(channel),
    authorization: {
      ...authorization,
      from: payerOf(channel),
      to: hex(0xc011ec, 20),
      value: atomicUsdc(value),
    },
  }
}

/** A call with a ceiling of `value` units. */
export function newCall(channel: number, number: number, value = 1_000n): NewPayment {
  const deposit = newDeposit(channel, number, value)
  const nonce = hex(0xca11000 + number, 32)
  const authorization = { ...deposit.authorization, to: hex(0x7ea5, 20), nonce }
  return { ...deposit, kind: 'channel_call', payload: null, authorization }
}

export function voucher(max: bigint): Voucher {
  return { max: atomicUsdc(max), signature: hex(Number(max) + 1, 65) }
}

/** A channel with a proven deposit. */
export async function opened(
  store: LedgerStore,
  channel: number,
  value = 10_000n,
): Promise<{ readonly deposit: PaymentRecord; readonly channel: ChannelRecord }> {
  const number = 1_000 + channel
  const claim = await store.claimDeposit(newDeposit(channel, number, value), newChannel(channel))
  if (claim.status !== 'claimed') throw new Error(`the deposit is ${claim.status}`)
  const deposit = await applyEvents(store, claim.payment, [
    { type: 'settlement_proven', proof: proof(number), at: start + 500 },
  ])
  return { deposit, channel: await channelOf(store, channel) }
}

export async function channelOf(store: LedgerStore, channel: number): Promise<ChannelRecord> {
  const record = await store.loadChannel(channelId(channel))
  if (record === undefined) throw new Error(`channel ${channel} is missing`)
  return record
}

type Hold = {
  readonly number: number
  readonly value?: bigint
  readonly max: bigint
  readonly limits?: CallLimits
}

/** Holds a call, which a channel may refuse. */
export function hold(
  store: LedgerStore,
  channel: number,
  { number, value, max, limits }: Hold,
): Promise<HoldOutcome> {
  return store.holdCall(newCall(channel, number, value), voucher(max), limits)
}

export async function held(
  store: LedgerStore,
  channel: number,
  call: Hold,
): Promise<PaymentRecord> {
  const outcome = await hold(store, channel, call)
  if (outcome.status !== 'held') throw new Error(`the call is ${outcome.status}`)
  return outcome.payment
}

/** Ends a call that costs this much; one that costs nothing has failed. */
export function ended(
  store: LedgerStore,
  call: PaymentRecord,
  cost: bigint,
): Promise<PaymentRecord> {
  const rest = { refund: { kind: 'batch' }, at: start + 3_000 } as const
  return applyEvents(store, call, [
    cost === 0n
      ? { type: 'service_failed', reason: 'upstream_failed', ...rest }
      : { type: 'service_completed', cost: atomicUsdc(cost), usage: null, ...rest },
  ])
}

/** A channel with a deposit of 10,000, in which a call cost `cost` out of `max`. */
export async function charged(store: LedgerStore, channel: number, cost = 400n): Promise<void> {
  await opened(store, channel)
  await ended(store, await held(store, channel, { number: 2_000 + channel, max: 1_000n }), cost)
}

export async function applyToChannel(
  store: LedgerStore,
  channel: number,
  events: readonly ChannelEvent[],
): Promise<ChannelRecord> {
  for (const event of events) {
    const { status } = await store.applyToChannel({ id: channelId(channel) }, event)
    if (status !== 'applied') throw new Error(`${event.type} is ${status}`)
  }
  return await channelOf(store, channel)
}

type Event<Type extends ChannelEvent['type']> = Extract<ChannelEvent, { readonly type: Type }>

/** One event of each type that the chain or an operator causes. */
export const channelEvents: {
  readonly deposited: (amount: bigint, number?: number) => Event<'deposit_proven'>
  readonly claimed: (amount: bigint, number?: number) => Event<'claim_proven'>
  readonly returned: (by: ReturnKind, amount: bigint, number?: number) => Event<'returned'>
  readonly announced: ChannelEvent
  readonly cleared: ChannelEvent
  readonly closing: ChannelEvent
  readonly nonceUsed: ChannelEvent
  readonly frozen: ChannelEvent
  readonly seen: ChannelEvent
} = {
  deposited: (amount, number = 600) => ({
    type: 'deposit_proven',
    amount: atomicUsdc(amount),
    proof: proof(number),
    at: start + 4_000,
  }),
  claimed: (amount, number = 700) => ({
    type: 'claim_proven',
    amount: atomicUsdc(amount),
    proof: proof(number),
    at: start + 5_000,
  }),
  returned: (by, amount, number = 800) => ({
    type: 'returned',
    by,
    amount: atomicUsdc(amount),
    proof: proof(number),
    at: start + 6_000,
  }),
  announced: { type: 'withdraw_announced', withdrawAt: 1_700_086_400, at: start + 4_500 },
  cleared: { type: 'withdraw_cleared', at: start + 4_600 },
  closing: { type: 'closing', at: start + 5_500 },
  nonceUsed: { type: 'nonce_used', refundNonce: 0n, at: start + 5_600 },
  frozen: { type: 'frozen', reason: 'restored_backup', at: start + 5_700 },
  seen: { type: 'seen', block: 120, at: start + 5_800 },
}

/**
 * Errors in the books of channels: amounts of a channel that are not the sums of its payments and
 * movements, and accounts that do not agree with them. Must be empty at every moment.
 */
export async function channelErrors(store: LedgerStore): Promise<readonly string[]> {
  const lines = await exported(store)
  const movements = await listed(store.exportMovements())
  const channels = await listed(store.exportChannels())
  const wrong = channels.flatMap((channel) => {
    const sums = sumsOf(channel, {
      payments: lines.map(({ payment }) => payment),
      movements: movements.map(({ movement }) => movement),
    })
    return Object.entries(sums)
      .filter(([name, amount]) => Reflect.get(channel, name) !== amount)
      .map(([name, amount]) => `${name} of ${channel.id} is not ${amount}`)
  })
  const entries = [...lines.flatMap((line) => line.entries), ...movements.flatMap((m) => m.entries)]
  const balance = (account: string): bigint =>
    entries.reduce((total, { debit, credit, amount }) => {
      if (debit === account) return total + amount
      return credit === account ? total - amount : total
    }, 0n)
  const settles = movements.filter(({ movement }) => movement.kind === 'settle' && !movement.lost)
  const settled = sum(settles.map(({ movement }) => movement.amount))
  const total = (name: 'deposited' | 'returned' | 'charged' | 'reserved'): bigint =>
    sum(channels.map((channel) => channel[name]))
  const escrow = total('deposited') - total('returned') - settled
  const credit = total('deposited') - total('returned') - total('charged') - total('reserved')
  return [
    ...wrong,
    ...(balance('escrow') === escrow ? [] : [`escrow is not ${escrow}`]),
    ...(balance('payer_channel') === -credit ? [] : [`payer_channel is not ${-credit}`]),
  ]
}

function sumsOf(
  { id }: ChannelRecord,
  books: {
    readonly payments: readonly PaymentRecord[]
    readonly movements: readonly ChannelMovement[]
  },
): Readonly<Record<'deposited' | 'returned' | 'charged' | 'reserved' | 'claimed', Usdc>> {
  const payments = books.payments.filter(({ channelId: channel }) => channel === id)
  const calls = payments.filter(({ kind }) => kind === 'channel_call')
  const values = (some: readonly PaymentRecord[]): readonly Usdc[] =>
    some.map(({ authorization }) => authorization.value)
  const moved = (...kinds: readonly ChannelMovement['kind'][]): readonly Usdc[] =>
    books.movements
      .filter(
        ({ kind, channelId: channel, lost }) => !lost && channel === id && kinds.includes(kind),
      )
      .map(({ amount }) => amount)
  const deposits = payments.filter(
    ({ kind, settlement }) => kind === 'channel_deposit' && settlement !== null,
  )
  return {
    deposited: sum([...values(deposits), ...moved('deposit')]),
    returned: sum(moved('refund', 'withdrawal')),
    charged: sum(calls.map(({ cost }) => cost ?? atomicUsdc(0n))),
    reserved: sum(values(calls.filter(({ status }) => status === 'serving'))),
    claimed: sum(moved('claim')),
  }
}
