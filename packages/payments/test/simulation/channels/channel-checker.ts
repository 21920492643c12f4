import {
  type ChannelRecord,
  channelAmounts,
  type Hex,
  type MemorySnapshot,
  type PaymentRecord,
} from '@farebox/ledger'
import { atomicUsdc } from '@farebox/money'
import type { AdmissionRequest } from '@farebox/payments'
import type { SimContext } from '../sim-context.ts'
import { createChainWatch } from './chain-watch.ts'
import type { ChannelPayer } from './channel-payer.ts'
import { channelRules } from './channel-ports.ts'

/** What a route observes of a call that is paid from a channel. */
export type ChannelChecker = {
  /** The upstream is called for a payment of that request. */
  onCall(payment: PaymentRecord, request: AdmissionRequest): void
  /** Someone else used the key that decides on refunds, in that transaction. */
  onTheft(transaction: Hex): void
  /** The ledger is about to be replaced by an older one. Returns what that loses, in atomic units. */
  onRestore(backup: MemorySnapshot): bigint
  /** What is not at rest: claims, closings, and what the ledger has not read yet. */
  unfinished(): readonly string[]
  /** Violations of what holds after every step. */
  stepViolations(): readonly string[]
  /** Violations of what holds once nothing is open. */
  endViolations(): readonly string[]
}

export function createChannelChecker(
  context: SimContext,
  payers: readonly ChannelPayer[],
): ChannelChecker {
  const { disk } = context
  const served = new Map<string, PaymentRecord['id'][]>()
  const found: string[] = []
  const before = new Map<string, ChannelRecord>()
  const proven = new WeakSet<object>()
  const watch = createChainWatch(context, payers)

  /** Calls are held only within what was proven to be deposited, and within the limits. */
  function coverViolations(channel: ChannelRecord): readonly string[] {
    const last = before.get(channel.id)
    before.set(channel.id, channel)
    const needed = channel.charged + channel.reserved
    const isHigher = needed > (last?.charged ?? 0n) + (last?.reserved ?? 0n)
    const hasLost =
      channel.deposited < (last?.deposited ?? 0n) || channel.returned > (last?.returned ?? 0n)
    if (!isHigher || hasLost) return []
    const isCovered = needed <= channel.deposited - channel.returned
    const isLimited = needed - channel.claimed <= channelRules.maxUnclaimed
    const inAll = unclaimedInAll(context)
    return [
      ...(isCovered ? [] : [`${channel.id}: sold ${needed} of ${channel.deposited}`]),
      ...(isLimited ? [] : [`${channel.id}: ${needed - channel.claimed} are not claimed`]),
      ...(inAll <= channelRules.maxUnclaimedTotal ? [] : [`${inAll} are not claimed in all`]),
    ]
  }

  function channelViolations(channel: ChannelRecord): readonly string[] {
    const { id, charged, reserved, deposited, returned, claimed, signed } = channel
    const sums = sumsOf(context, id)
    const amounts = channelAmounts(channel)
    const { claimable, held, refundable } = amounts
    const whole = amounts.claimed + claimable + held + refundable + amounts.returned
    const promised = payers.find(({ channelId }) => channelId === id)?.vouchers ?? []
    const isPromised = signed === 0n || promised.some(({ max }) => max === signed)
    const isExcused = watch.maySeemWrong(id)
    const rules: Readonly<Record<string, boolean>> = {
      'it is frozen without a cause': channel.status !== 'frozen' || isExcused,
      'its parts are not what was deposited': whole === deposited,
      'its charges are not the costs of its calls': charged === sums.cost,
      'its holds are not the ceilings of its calls in flight': reserved === sums.held,
      'its deposits are not those that were proven': deposited === sums.deposit,
      'its claims are not those that were proven': claimed === sums.claim,
      'its returns are not those that were proven': returned === sums.returned,
      'more is charged than its payer signed': charged + reserved <= signed && isPromised,
      'more is claimed than charged': claimed <= charged,
      'more is refundable than is left': refundable >= 0n || watch.hasOtherDeposits(id),
    }
    return Object.entries(rules).flatMap(([rule, holds]) => (holds ? [] : [`${id}: ${rule}`]))
  }

  /** What is booked was logged by the contract, as it is booked. */
  function movementViolations(): readonly string[] {
    return [...disk.movements.values()].flatMap((booked) => {
      if (proven.has(booked)) return []
      proven.add(booked)
      const { kind, amount, proof } = booked.movement
      const log = context.chain.everLogged(proof)
      const names = {
        deposit: 'deposited',
        claim: 'claimed',
        refund: 'refunded',
        withdrawal: 'withdrawn',
        settle: 'settled',
      } as const
      const isSame = log?.type === names[kind]
      const isWhole = log === undefined || !('amount' in log) || log.amount === amount
      return isSame && isWhole ? [] : [`a ${kind} of ${amount} was not logged by the contract`]
    })
  }

  return {
    onCall(payment, request) {
      const key = voucherOf(request)
      const earlier = served.get(key) ?? []
      served.set(key, [...earlier, payment.id])
      for (const id of earlier) {
        const { cost, status } = disk.payments.get(id) ?? {}
        if (cost !== 0n) found.push(`${id} ${status}: its voucher was served again`)
      }
      if (watch.isAhead(payment.channelId)) {
        found.push(`${payment.id}: sold although more is claimed than the ledger has charged`)
      }
      const { status, reason } = disk.payments.get(payment.id) ?? {}
      if (status === 'serving') return
      // For a replica whose clock is right, the lease of one whose clock is behind has expired.
      if (context.setsClocks && reason === 'service_interrupted') {
        context.count('channel: call ended by a replica with another clock')
      } else found.push(`${payment.id}: served without a hold`)
    },
    onTheft: (transaction) => watch.onTheft(transaction),
    onRestore(backup) {
      watch.onRestore()
      before.clear()
      for (const channel of backup.channels) before.set(channel.id, channel)
      // What the ledger forgot buys again, unless a claim published it.
      for (const key of served.keys()) if (!watch.isPublished(key)) served.delete(key)
      return lossOf(context, backup)
    },
    unfinished: () => [...disk.channels.values()].flatMap((channel) => watch.unfinished(channel)),
    stepViolations() {
      const channels = [...disk.channels.values()]
      return [
        ...found.splice(0),
        ...watch.violations(),
        ...channels.flatMap(coverViolations),
        ...channels.flatMap(channelViolations),
        ...movementViolations(),
        ...bookViolations(context),
      ]
    },
    endViolations: () =>
      [...disk.channels.values()].flatMap(({ id, reserved, ...channel }) => [
        ...(reserved === 0n ? [] : [`${id}: ${reserved} is still held`]),
        ...watch.differences({ id, reserved, ...channel }),
      ]),
  }
}

/** Charges since a backup that were not claimed: the restored ledger does not know them. */
function lossOf({ disk, chain }: SimContext, backup: MemorySnapshot): bigint {
  const kept = new Map(backup.channels.map(({ id, charged }) => [id, charged]))
  const { channels } = chain.head().contract
  let loss = 0n
  for (const { id, charged } of disk.channels.values()) {
    const [known, claimed] = [kept.get(id) ?? atomicUsdc(0n), channels.get(id)?.totalClaimed ?? 0n]
    loss += charged - (known > claimed ? known : claimed)
  }
  return loss
}

function unclaimedInAll({ disk }: SimContext): bigint {
  return [...disk.channels.values()].reduce((sum, channel) => {
    const { claimable, held } = channelAmounts(channel)
    return sum + claimable + held
  }, 0n)
}

/** What payments and proven movements add up to. */
function sumsOf({ disk }: SimContext, id: Hex) {
  const sums = { cost: 0n, held: 0n, deposit: 0n, claim: 0n, returned: 0n }
  for (const payment of disk.payments.values()) {
    if (payment.channelId !== id) continue
    const { kind, status, authorization, settlement } = payment
    if (kind === 'channel_call') sums.cost += payment.cost ?? 0n
    if (kind === 'channel_call' && status === 'serving') sums.held += authorization.value
    if (kind === 'channel_deposit' && settlement !== null) sums.deposit += authorization.value
  }
  for (const { movement } of disk.movements.values()) {
    if (movement.channelId !== id || movement.lost) continue
    if (movement.kind === 'deposit' || movement.kind === 'claim') {
      sums[movement.kind] += movement.amount
    } else sums.returned += movement.amount
  }
  return sums
}

/** The books: escrow less what was paid out, and the payers' credit in it, over all channels. */
function bookViolations({ disk }: SimContext): readonly string[] {
  const balances = { escrow: 0n, payer_channel: 0n }
  const book = (account: string, amount: bigint): void => {
    if (account === 'escrow' || account === 'payer_channel') balances[account] += amount
  }
  const entries = [
    ...[...disk.entries.values()].flat(),
    ...[...disk.movements.values()].flatMap(({ entries: booked }) => booked),
  ]
  for (const { debit, credit, amount } of entries) {
    book(debit, amount)
    book(credit, 0n - amount)
  }
  let [inChannels, credit, settled] = [0n, 0n, 0n]
  for (const { deposited, returned, charged, reserved } of disk.channels.values()) {
    inChannels += deposited - returned
    credit += deposited - returned - charged - reserved
  }
  for (const { movement } of disk.movements.values()) {
    if (movement.kind === 'settle' && !movement.lost) settled += movement.amount
  }
  const { escrow } = balances
  const owed = 0n - balances.payer_channel
  return [
    ...(escrow === inChannels - settled ? [] : [`the books have ${escrow} in escrow`]),
    ...(owed === credit ? [] : [`the books owe payers of channels ${owed}, not ${credit}`]),
  ]
}

/** The channel and the voucher that a request presents, from its own header. */
function voucherOf({ headers }: AdmissionRequest): string {
  const text = Buffer.from(headers['payment-signature'] ?? '', 'base64').toString()
  const { payload } = JSON.parse(text) as {
    readonly payload: {
      readonly voucher: { readonly channelId: Hex; readonly maxClaimableAmount: string }
    }
  }
  const { channelId, maxClaimableAmount } = payload.voucher
  return `${channelId}:${maxClaimableAmount}`
}
