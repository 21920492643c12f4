import { atomicUsdc } from '@farebox/money'
import type { CallClaim } from '../channel/admits-call.ts'
import type {
  ChannelConfig,
  ChannelRecord,
  NewChannel,
  Voucher,
} from '../channel/channel-record.ts'
import type { PaymentRecord } from '../payment/payment-record.ts'
import type { NewPayment } from './claim-outcome.ts'
import {
  canonicalHex,
  claimedRecord,
  inRange,
  mustBe,
  mustBeObject,
  refuse,
} from './claim-payment.ts'

/**
 * A channel without a proven deposit, in canonical form.
 *
 * @throws {LedgerError} `invalid_payment` for an invalid id, address or salt.
 */
export function openingChannel(channel: NewChannel): ChannelRecord {
  const none = atomicUsdc(0n)
  return {
    ...channel,
    id: canonicalChannelId(channel.id),
    config: canonicalConfig(channel.config),
    status: 'opening',
    reason: null,
    version: 1,
    deposited: none,
    returned: none,
    charged: none,
    reserved: none,
    signed: none,
    signature: null,
    claimed: none,
    unclaimedSince: null,
    refundNonce: 0n,
    withdrawAt: null,
    turn: null,
    lease: null,
    lastCallAt: channel.createdAt,
    updatedAt: channel.createdAt,
  }
}

/**
 * The records that the claim of a deposit writes.
 *
 * @throws {LedgerError} `invalid_payment` if the payment is not a deposit into this channel.
 */
export function claimedDeposit(
  deposit: NewPayment,
  channel: NewChannel,
): { readonly payment: PaymentRecord; readonly channel: ChannelRecord } {
  const payment = claimedRecord(mustBe('channel_deposit', deposit))
  const opening = openingChannel(channel)
  if (payment.channelId === opening.id) return { payment, channel: opening }
  return refuse('channelId', String(payment.channelId), `use ${opening.id}, the channel's id`)
}

/** A held call: it is `serving` immediately, because it needs no settlement. */
export type HeldCall = {
  readonly payment: PaymentRecord
  readonly channelId: ChannelRecord['id']
  readonly voucher: Voucher
  readonly claim: CallClaim
}

/**
 * The record that holding a call writes.
 *
 * @throws {LedgerError} `invalid_payment` for an invalid payment or voucher.
 */
export function heldCall(call: NewPayment, voucher: Voucher): HeldCall {
  const { max, signature } = mustBeObject('voucher', voucher)
  const payment = claimedRecord(mustBe('channel_call', { ...call, payload: null }))
  return {
    payment: { ...payment, status: 'serving' },
    channelId: canonicalChannelId(String(payment.channelId)),
    voucher: {
      max: inRange('voucher', max),
      signature: canonicalHex('signature', signature, 65),
    },
    claim: { amount: payment.authorization.value, max },
  }
}

/** @throws {LedgerError} `invalid_payment` for anything but 32 bytes. */
export function canonicalChannelId(id: string): ChannelRecord['id'] {
  return canonicalHex('channel', id, 32)
}

function canonicalConfig(config: ChannelConfig): ChannelConfig {
  const terms = mustBeObject('config', config)
  const { payer, payerAuthorizer, receiver, receiverAuthorizer, token } = terms
  return {
    payer: canonicalHex('payer', payer, 20),
    payerAuthorizer: canonicalHex('payerAuthorizer', payerAuthorizer, 20),
    receiver: canonicalHex('receiver', receiver, 20),
    receiverAuthorizer: canonicalHex('receiverAuthorizer', receiverAuthorizer, 20),
    token: canonicalHex('token', token, 20),
    withdrawDelay: terms.withdrawDelay,
    salt: canonicalHex('salt', terms.salt, 32),
  }
}
