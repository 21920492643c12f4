import type { ChannelConfig, Hex } from '@farebox/ledger'
import { atomicUsdc } from '@farebox/money'
import type { ChannelLog } from '../../../src/channel-chain/channel-log.ts'

/** Where deposits go: `receiveWithAuthorization` pays only its caller. */
export const collector: Hex = '0x4020806089470a89826cb9fb1f4059150b550004'

/** What the contract holds of one channel. */
export type SimChannel = {
  readonly channelId: Hex
  readonly config: ChannelConfig
  readonly balance: bigint
  readonly totalClaimed: bigint
  readonly refundNonce: bigint
  readonly withdrawal: { readonly amount: bigint; readonly since: number } | null
}

/** Everything that the contract holds at a block. */
export type ContractState = {
  readonly channels: ReadonlyMap<Hex, SimChannel>
  /** Of the receiver. */
  readonly claimed: bigint
  readonly settled: bigint
}

export type SimClaimRow = {
  readonly channelId: Hex
  readonly max: bigint
  readonly signature: Hex
  readonly total: bigint
}

/** One call of the contract. */
export type ChannelStep =
  | { readonly type: 'deposit'; readonly channelId: Hex; readonly amount: bigint }
  | { readonly type: 'claim'; readonly rows: readonly SimClaimRow[]; readonly signature: Hex }
  | {
      readonly type: 'refund'
      readonly channelId: Hex
      readonly amount: bigint
      readonly nonce: bigint
      readonly signature: Hex
    }
  | { readonly type: 'settle' }
  | { readonly type: 'announce'; readonly channelId: Hex; readonly amount: bigint }
  | { readonly type: 'withdraw'; readonly channelId: Hex }

type EventOf<Log> = Log extends unknown ? Omit<Log, 'proof'> : never
export type ContractEvent = EventOf<ChannelLog>

export type TokenMove = { readonly from: Hex; readonly to: Hex; readonly value: bigint }

/** What the contract takes from the world. */
export type ContractWorld = {
  /** Seconds since 1970. */
  readonly timestamp: number
  /** Whether the token moves between these accounts. */
  readonly canMove: (move: TokenMove) => boolean
  /** Whether a payer signed that voucher, in the form that the contract takes. */
  readonly isVoucher: (row: SimClaimRow) => boolean
  /** Whether the channel's authorizer signed these terms. */
  readonly isAuthorized: (signature: Hex, authorizer: Hex, terms: string) => boolean
}

export type Execution = {
  readonly state: ContractState
  readonly events: readonly ContractEvent[]
  readonly moves: readonly TokenMove[]
}

/** A delay passes so much faster here, so that withdrawals end within a run. */
export const delayPart = 15

export const emptyContract: ContractState = { channels: new Map(), claimed: 0n, settled: 0n }

export function newSimChannel(channelId: Hex, config: ChannelConfig): SimChannel {
  return { channelId, config, balance: 0n, totalClaimed: 0n, refundNonce: 0n, withdrawal: null }
}

/** Steps in one call: all of them, or none; undefined if one would revert. */
export function execute(
  state: ContractState,
  steps: readonly ChannelStep[],
  world: ContractWorld,
): Execution | undefined {
  let execution: Execution = { state, events: [], moves: [] }
  for (const step of steps) {
    const next = run(execution.state, step, world)
    if (next === undefined || !next.moves.every(world.canMove)) return undefined
    execution = {
      state: next.state,
      events: [...execution.events, ...next.events],
      moves: [...execution.moves, ...next.moves],
    }
  }
  return execution
}

function run(state: ContractState, step: ChannelStep, world: ContractWorld): Execution | undefined {
  switch (step.type) {
    case 'deposit':
      return deposit(state, step)
    case 'claim':
      return claim(state, step, world)
    case 'refund':
      return refund(state, step, world)
    case 'settle':
      return settle(state)
    case 'announce':
      return announce(state, step, world)
    case 'withdraw':
      return withdraw(state, step, world)
  }
}

type StepOf<Type extends ChannelStep['type']> = Extract<ChannelStep, { readonly type: Type }>

function changed(state: ContractState, channel: SimChannel): ContractState {
  return { ...state, channels: new Map(state.channels).set(channel.channelId, channel) }
}

/** The collector moves the token. */
function deposit(
  state: ContractState,
  { channelId, amount }: StepOf<'deposit'>,
): Execution | undefined {
  const channel = state.channels.get(channelId)
  if (channel === undefined) return undefined
  const { balance, totalClaimed, config } = channel
  const created: readonly ContractEvent[] =
    balance === 0n && totalClaimed === 0n ? [{ type: 'created', channelId, config }] : []
  return {
    state: changed(state, { ...channel, balance: balance + amount }),
    events: [...created, { type: 'deposited', channelId, amount: atomicUsdc(amount) }],
    moves: [],
  }
}

export function claimTerms(
  rows: readonly Pick<SimClaimRow, 'channelId' | 'max' | 'total'>[],
): string {
  return rows.map(({ channelId, max, total }) => `claim ${channelId} ${max} ${total}`).join()
}

export function refundTerms({
  channelId,
  nonce,
  amount,
}: Pick<StepOf<'refund'>, 'channelId' | 'nonce' | 'amount'>): string {
  return `refund ${channelId} ${nonce} ${amount}`
}

function claim(
  state: ContractState,
  { rows, signature }: StepOf<'claim'>,
  world: ContractWorld,
): Execution | undefined {
  const authorizers = rows.map(
    ({ channelId }) => state.channels.get(channelId)?.config.receiverAuthorizer,
  )
  const [authorizer] = authorizers
  if (authorizer === undefined || new Set(authorizers).size > 1) return undefined
  if (!world.isAuthorized(signature, authorizer, claimTerms(rows))) return undefined
  let next = state
  const events: ContractEvent[] = []
  for (const row of rows) {
    const { channelId, total } = row
    const channel = next.channels.get(channelId)
    if (channel === undefined) return undefined
    if (total <= channel.totalClaimed) continue
    if (total > row.max || total > channel.balance || !world.isVoucher(row)) return undefined
    const amount = atomicUsdc(total - channel.totalClaimed)
    const claimed = next.claimed + amount
    next = { ...changed(next, { ...channel, totalClaimed: total }), claimed }
    events.push({ type: 'claimed', channelId, amount, total: atomicUsdc(total) })
  }
  return { state: next, events, moves: [] }
}

function refund(
  state: ContractState,
  step: StepOf<'refund'>,
  world: ContractWorld,
): Execution | undefined {
  const { channelId, amount: wanted, nonce, signature } = step
  const channel = state.channels.get(channelId)
  if (channel === undefined || wanted === 0n || nonce !== channel.refundNonce) return undefined
  const { payer, receiverAuthorizer } = channel.config
  if (!world.isAuthorized(signature, receiverAuthorizer, refundTerms(step))) return undefined
  const amount = smaller(wanted, channel.balance - channel.totalClaimed)
  const used = { ...channel, refundNonce: nonce + 1n }
  if (amount === 0n) return { state: changed(state, used), events: [], moves: [] }
  const { withdrawal } = channel
  const isLeft = withdrawal !== null && amount < withdrawal.amount
  return {
    state: changed(state, {
      ...used,
      balance: channel.balance - amount,
      withdrawal: isLeft ? { ...withdrawal, amount: withdrawal.amount - amount } : null,
    }),
    events: [{ type: 'refunded', channelId, amount: atomicUsdc(amount) }],
    moves: [{ from: collector, to: payer, value: amount }],
  }
}

function settle(state: ContractState): Execution {
  const amount = state.claimed - state.settled
  const [channel] = state.channels.values()
  if (amount === 0n || channel === undefined) return { state, events: [], moves: [] }
  const { receiver, token } = channel.config
  return {
    state: { ...state, settled: state.claimed },
    events: [{ type: 'settled', receiver, token, amount: atomicUsdc(amount) }],
    moves: [{ from: collector, to: receiver, value: amount }],
  }
}

function announce(
  state: ContractState,
  { channelId, amount }: StepOf<'announce'>,
  { timestamp: since }: ContractWorld,
): Execution | undefined {
  const channel = state.channels.get(channelId)
  if (channel === undefined || channel.withdrawal !== null || amount === 0n) return undefined
  if (amount > channel.balance - channel.totalClaimed) return undefined
  const withdrawAt = since + channel.config.withdrawDelay
  return {
    state: changed(state, { ...channel, withdrawal: { amount, since } }),
    events: [{ type: 'withdraw_announced', channelId, withdrawAt }],
    moves: [],
  }
}

function withdraw(
  state: ContractState,
  { channelId }: StepOf<'withdraw'>,
  { timestamp }: ContractWorld,
): Execution | undefined {
  const channel = state.channels.get(channelId)
  if (channel === undefined || channel.withdrawal === null) return undefined
  const { withdrawal, balance, totalClaimed, config } = channel
  if (timestamp < withdrawal.since + config.withdrawDelay / delayPart) return undefined
  const amount = smaller(withdrawal.amount, balance - totalClaimed)
  return {
    state: changed(state, { ...channel, balance: balance - amount, withdrawal: null }),
    events: [{ type: 'withdrawn', channelId, amount: atomicUsdc(amount) }],
    moves: amount === 0n ? [] : [{ from: collector, to: config.payer, value: amount }],
  }
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
