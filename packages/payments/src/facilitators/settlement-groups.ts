import type { Hex } from '@farebox/ledger'
import type { QueueOutcome } from '../relayer/transaction-call.ts'
import { createGather } from '../scheduling/gather.ts'
import type { Timers } from '../scheduling/timers.ts'
import type { SettleOutcome, ShownSettlement } from '../settlement/facilitator.ts'
import type { SignedPayment } from '../wire/signed-payment.ts'
import { isRejectedBeforeBroadcast } from './settle-rejection-reasons.ts'

/**
 * The result of a simulation of one payment of a group: on the latest block, or on the one after it if
 * the authorization is not valid before.
 */
export type MemberProbe =
  | { readonly status: 'passes' }
  /** Code decides about its payer's signature: it must not share a transaction. */
  | { readonly status: 'has_code' }
  | { readonly status: 'fails'; readonly reason: string }

/** A mined transaction, which may be the replacement of the one that was sent. */
export type MinedGroup = {
  readonly transaction: Hex
  /** The payments that its logs show as transferred. */
  readonly transferred: ReadonlySet<SignedPayment>
}

/** A transaction in the block that is being built. */
export type ShownGroup = MinedGroup & Pick<ShownSettlement, 'block'>

export type SettlementGroupPorts = {
  readonly timers: Timers
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Simulates each payment, in their order. Rejects when the node does not answer. */
  probe(payments: readonly SignedPayment[]): Promise<readonly MemberProbe[]>
  /** Sends the transfers in one transaction, in which each may fail alone. Never rejects. */
  send(payments: readonly SignedPayment[]): Promise<QueueOutcome>
  /** `undefined` when it will not be mined, or was not for a long time. Never rejects. */
  mined(transaction: Hex, payments: readonly SignedPayment[]): Promise<MinedGroup | undefined>
  /** Calls `onShown` when the transaction is preconfirmed, until it is ended. */
  watch?: (
    transaction: Hex,
    payments: readonly SignedPayment[],
    onShown: (group: ShownGroup) => void,
  ) => () => void
  /** The most payments in one transaction. */
  readonly groupSize: number
}

/**
 * Nodes keep 16 pending transactions of an account for certain, and more while they have room. With
 * blocks of 2 s the growing pauses lead to 13 at once, and with blocks of 25 s to 45.
 */
const maxGroupsInProgress = 96

export type Settling = {
  /** `has_code` when nothing was sent, because the payment must be settled by itself. */
  readonly outcome: Promise<SettleOutcome | 'has_code'>
  /** Resolves when a node may have a transaction. */
  readonly sent: Promise<undefined>
  /** Resolves if its transfer is preconfirmed. */
  readonly shown: Promise<ShownSettlement>
  /** The transaction that a node may have, if any. */
  transaction(): Hex | null
  /** No request waits for it any more: it is not sent, unless it has been already. */
  withdraw(): void
}

/** Settles payments of keys, those that arrive together in one transaction. */
export type SettlementGroups = { settle(payment: SignedPayment): Settling }

type Member = Settling & {
  readonly payment: SignedPayment
  /** How many transactions it was in that were mined without its transfer. */
  attempts: number
  sentAs: Hex | null
  state: 'waiting' | 'left' | 'withdrawn'
  markSent(): void
  show(shown: ShownSettlement): void
  resolve(outcome: SettleOutcome | 'has_code'): void
}

type Groups = SettlementGroupPorts & { readonly room: GroupRoom }

/**
 * Each payment of a group is judged by its own logs in the one receipt. A payment that is in it
 * without its transfer is probed again: one that would pass now lost its gas to another and goes with
 * the next group, a few times. Between its probe and its block a payer can take on code that uses up
 * the gas of its group: groups are smaller after that, so that little is lost by trying it again.
 */
export function createSettlementGroups(ports: SettlementGroupPorts): SettlementGroups {
  const groups: Groups = { ...ports, room: createGroupRoom(ports.groupSize) }
  const settling = new Map<string, Member>()
  const add = createGather<Member>({
    timers: ports.timers,
    clock: ports.clock,
    pausePerItemMs: 25,
    maxPauseMs: 100,
    maxGroupSize: () => groups.room.size(),
    maxGroupsInProgress,
    run: (members) => settleGroup(groups, members.filter(leaves)),
  })
  return {
    settle(payment) {
      const { from, nonce } = payment.authorization
      const key = `${from}:${nonce}`
      const known = settling.get(key)
      if (known !== undefined) return known
      const member = createMember(payment)
      settling.set(key, member)
      void member.outcome.then(() => settling.delete(key))
      add(member)
      return member
    },
  }
}

function createMember(payment: SignedPayment): Member {
  const { promise: outcome, resolve } = Promise.withResolvers<SettleOutcome | 'has_code'>()
  const { promise: sent, resolve: resolveSent } = Promise.withResolvers<undefined>()
  const { promise: shown, resolve: show } = Promise.withResolvers<ShownSettlement>()
  const member: Member = {
    payment,
    outcome,
    resolve,
    sent,
    markSent: () => resolveSent(undefined),
    shown,
    show,
    attempts: 0,
    sentAs: null,
    state: 'waiting',
    transaction: () => member.sentAs,
    withdraw() {
      if (member.state !== 'waiting') return
      member.state = 'withdrawn'
      resolve(unknown('deadline', null))
    },
  }
  return member
}

/** Drops payments that no request waits for: they would only be refunded. */
function leaves(member: Member): boolean {
  if (member.state === 'waiting') member.state = 'left'
  return member.state === 'left'
}

/** How many payments a group may have: fewer after a group lost its gas. */
type GroupRoom = { size(): number; shrink(): void; grow(): void }

function createGroupRoom(maxSize: number): GroupRoom {
  let size = maxSize
  return {
    size: () => size,
    shrink() {
      size = Math.max(1, Math.floor(size / 4))
    },
    grow() {
      size = Math.min(maxSize, size + 1)
    },
  }
}

async function settleGroup(groups: Groups, members: readonly Member[]): Promise<void> {
  if (members.length === 0) return
  const passing = await probeMembers(groups, members)
  if (passing.some(({ attempts }) => attempts > 0)) groups.room.shrink()
  const size = groups.room.size()
  const again = passing.filter(({ attempts }) => attempts > 1)
  const together = passing.filter(({ attempts }) => attempts <= 1)
  const parts: (readonly Member[])[] = again.map((member) => [member])
  for (let at = 0; at < together.length; at += size) parts.push(together.slice(at, at + size))
  await Promise.all(parts.map((part) => sendGroup(groups, part)))
}

/** The members that would be transferred now; the others are decided. */
async function probeMembers(
  groups: Groups,
  members: readonly Member[],
): Promise<readonly Member[]> {
  try {
    const probes = await groups.probe(members.map(({ payment }) => payment))
    return members.filter((member, index) => mayBeSent(member, probes[index]))
  } catch {
    for (const { resolve, sentAs } of members) resolve(unknown('rpc_down', sentAs))
    return []
  }
}

/** How often a payment is tried before its payer counts as the cause. */
const maxAttempts = 3

function mayBeSent({ attempts, sentAs, resolve }: Member, probe: MemberProbe | undefined): boolean {
  if (probe?.status === 'passes' && attempts < maxAttempts) return true
  const reason = probe?.status === 'fails' ? probe.reason : 'invalid_exact_evm_transaction_failed'
  if (attempts > 0) resolve({ ...unknown(reason, sentAs), reverted: true })
  else if (probe?.status === 'has_code') resolve('has_code')
  else if (isRejectedBeforeBroadcast(reason)) resolve({ status: 'rejected', reason })
  else resolve(unknown(reason, sentAs))
  return false
}

function unknown(
  reason: string,
  transaction: Hex | null,
): Extract<SettleOutcome, { readonly status: 'unknown' }> {
  return { status: 'unknown', reason, transaction }
}

async function sendGroup(groups: Groups, members: readonly Member[]): Promise<void> {
  const outcome = await groups.send(members.map(({ payment }) => payment))
  switch (outcome.status) {
    case 'sent':
    case 'unknown':
      for (const member of members) {
        member.sentAs = outcome.transaction
        member.markSent()
      }
      await judgeMined(groups, members, outcome.transaction)
      break
    case 'unavailable':
      for (const { resolve, sentAs } of members) resolve(unknown(outcome.reason, sentAs))
      break
    case 'reverts':
      await sendRefused(groups, members)
      break
  }
}

/** No block has room for the group. */
async function sendRefused(groups: Groups, members: readonly Member[]): Promise<void> {
  const reason = 'invalid_exact_evm_transaction_simulation_failed'
  const [only, ...others] = members
  if (only !== undefined && others.length === 0) {
    only.resolve(
      only.sentAs === null ? { status: 'rejected', reason } : unknown(reason, only.sentAs),
    )
    return
  }
  groups.room.shrink()
  await Promise.all(members.map((member) => sendGroup(groups, [member])))
}

async function judgeMined(groups: Groups, members: readonly Member[], sent: Hex): Promise<void> {
  const payments = members.map(({ payment }) => payment)
  const unwatch = groups.watch?.(sent, payments, ({ transaction, block, transferred }) => {
    for (const { payment, show } of members) {
      if (transferred.has(payment)) show({ transaction, block })
    }
  })
  const mined = await groups.mined(sent, payments)
  unwatch?.()
  if (mined === undefined) {
    for (const { resolve } of members) resolve(unknown('settlement_pending', sent))
    return
  }
  const { transaction, transferred } = mined
  const left = members.filter(({ payment }) => !transferred.has(payment))
  for (const { payment, resolve } of members) {
    if (transferred.has(payment)) resolve({ status: 'settled', transaction })
  }
  if (left.length === 0) {
    groups.room.grow()
    return
  }
  for (const member of left) {
    member.attempts += 1
    member.sentAs = transaction
  }
  if (members.length === 1) {
    // No other payment took its gas.
    const reason = 'invalid_exact_evm_transaction_failed'
    for (const { resolve } of left) resolve({ ...unknown(reason, transaction), reverted: true })
    return
  }
  await settleGroup(groups, left)
}
