import { type ChannelRecord, channelAmounts, type Hex, type PaymentRecord } from '@farebox/ledger'
import type { AdmissionRequest } from '@farebox/payments'
import { authorizationKey } from '../invariant-checker.ts'
import type { SimContext } from '../sim-context.ts'
import { type ChannelPayer, collector } from './channel-payer.ts'

/** What a route observes of a call that is paid from a channel. */
export type ChannelChecker = {
  /** The upstream is called for a payment of that request. */
  onCall(payment: PaymentRecord, request: AdmissionRequest): void
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

  /** Calls are held only within what was proven to be deposited. */
  function coverViolations(channel: ChannelRecord): readonly string[] {
    const last = before.get(channel.id)
    before.set(channel.id, channel)
    const needed = channel.charged + channel.reserved
    const isHigher = needed > (last?.charged ?? 0n) + (last?.reserved ?? 0n)
    const hasLost = channel.deposited < (last?.deposited ?? 0n)
    const isCovered = needed <= channel.deposited - channel.returned
    if (!isHigher || hasLost || isCovered) return []
    return [`${channel.id}: sold ${needed} of ${channel.deposited}`]
  }

  function channelViolations(channel: ChannelRecord): readonly string[] {
    const { id, charged, reserved, deposited, returned, claimed, signed } = channel
    const sums = sumsOf([...disk.payments.values()].filter(({ channelId }) => channelId === id))
    const amounts = channelAmounts(channel)
    const { claimable, held, refundable } = amounts
    const whole = amounts.claimed + claimable + held + refundable + amounts.returned
    const promised = payers.find(({ channelId }) => channelId === id)?.vouchers ?? []
    const isPromised = signed === 0n || promised.some(({ max }) => max === signed)
    const rules: Readonly<Record<string, boolean>> = {
      'its parts are not what was deposited': whole === deposited,
      'its charges are not the costs of its calls': charged === sums.cost,
      'its holds are not the ceilings of its calls in flight': reserved === sums.held,
      'its deposits are not those that were proven': deposited === sums.deposited,
      'more is charged than its payer signed': charged + reserved <= signed && isPromised,
      'more is claimed than charged': claimed <= charged,
      'more was returned than deposited': returned <= deposited,
      'more is refundable than is left': refundable >= 0n || amounts.uncovered > 0n,
    }
    return Object.entries(rules).flatMap(([rule, holds]) => (holds ? [] : [`${id}: ${rule}`]))
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
      if (disk.payments.get(payment.id)?.status !== 'serving') {
        found.push(`${payment.id}: served without a hold`)
      }
    },
    stepViolations() {
      const violations = [...disk.channels.values()].flatMap((channel) => [
        ...coverViolations(channel),
        ...channelViolations(channel),
      ])
      return [...found.splice(0), ...violations]
    },
    endViolations() {
      const escrow = depositedOnChain(context)
      const booked = [...disk.channels.values()].reduce((sum, { deposited }) => sum + deposited, 0n)
      return [
        ...(escrow === booked ? [] : [`the contract holds ${escrow}, the ledger has ${booked}`]),
        ...bookViolations(context),
        ...[...disk.channels.values()].flatMap(({ id, reserved }) =>
          reserved === 0n ? [] : [`${id}: ${reserved} is still held`],
        ),
      ]
    },
  }
}

/** A deposit that was never claimed is found by reading the contract's events, which is not simulated. */
function depositedOnChain({ chain, claimed }: SimContext): bigint {
  return chain.logs().reduce((sum, { call }) => {
    const isKnown = call.kind === 'transfer' && claimed.has(authorizationKey(call))
    return isKnown && call.to === collector ? sum + call.value : sum
  }, 0n)
}

function sumsOf(payments: readonly PaymentRecord[]) {
  let [cost, held, deposited] = [0n, 0n, 0n]
  for (const payment of payments) {
    const { kind, status, authorization, settlement } = payment
    if (kind === 'channel_call') cost += payment.cost ?? 0n
    if (kind === 'channel_call' && status === 'serving') held += authorization.value
    if (kind === 'channel_deposit' && settlement !== null) deposited += authorization.value
  }
  return { cost, held, deposited }
}

/** The payers' credit in the books is what their channels have left. */
function bookViolations({ disk }: SimContext): readonly string[] {
  const entries = [
    ...[...disk.entries.values()].flat(),
    ...[...disk.movements.values()].flatMap(({ entries: booked }) => booked),
  ]
  const balance = (account: string): bigint =>
    entries.reduce((sum, { debit, credit, amount }) => {
      if (debit === account) return sum + amount
      return credit === account ? sum - amount : sum
    }, 0n)
  const channels = [...disk.channels.values()]
  const escrow = channels.reduce((sum, { deposited, returned }) => sum + deposited - returned, 0n)
  const charged = channels.reduce((sum, channel) => sum + channel.charged, 0n)
  const credit = -balance('payer_channel')
  return [
    ...(balance('escrow') === escrow ? [] : [`the books have ${balance('escrow')} in escrow`]),
    ...(credit === escrow - charged ? [] : [`the books owe payers of channels ${credit}`]),
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
