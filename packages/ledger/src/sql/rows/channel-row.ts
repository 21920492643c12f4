import { atomicUsdc, type Usdc } from '@farebox/money'
import { accounts } from '../../book/ledger-entry.ts'
import {
  type ChannelEntry,
  type ChannelMovement,
  channelMovementKinds,
} from '../../channel/channel-movement.ts'
import { type ChannelRecord, channelStatuses } from '../../channel/channel-record.ts'
import { LedgerError } from '../../payment/ledger-error.ts'
import type { Row, Values } from '../queries/query.ts'
import { leaseColumns } from './payment-row.ts'
import { proofColumns, proofIn } from './proof-row.ts'
import * as read from './read-row.ts'

/** What the insertion of a channel writes. */
export function channelColumns(channel: ChannelRecord): Values {
  const { config } = channel
  return {
    id: channel.id,
    chain_id: BigInt(channel.chainId),
    payer: config.payer,
    payer_authorizer: config.payerAuthorizer,
    receiver: config.receiver,
    receiver_authorizer: config.receiverAuthorizer,
    token: config.token,
    withdraw_delay: BigInt(config.withdrawDelay),
    salt: config.salt,
    created_at: BigInt(channel.createdAt),
    ...channelStateColumns(channel),
    turn_digest: channel.turn?.digest ?? null,
    turn_max: channel.turn?.max ?? null,
    turn_until: channel.turn === null ? null : BigInt(channel.turn.until),
    ...leaseColumns(channel),
    last_call_at: BigInt(channel.lastCallAt),
  }
}

/** What an event other than a call's may change. */
export function channelStateColumns(channel: ChannelRecord): Values {
  const { unclaimedSince, withdrawAt } = channel
  return {
    status: channel.status,
    reason: channel.reason,
    version: BigInt(channel.version),
    deposited: channel.deposited,
    returned: channel.returned,
    charged: channel.charged,
    reserved: channel.reserved,
    signed: channel.signed,
    signature: channel.signature,
    claimed: channel.claimed,
    unclaimed_since: unclaimedSince === null ? null : BigInt(unclaimedSince),
    refund_nonce: channel.refundNonce,
    withdraw_at: withdrawAt === null ? null : BigInt(withdrawAt),
    seen_block: BigInt(channel.seenBlock),
    updated_at: BigInt(channel.updatedAt),
  }
}

/** @throws {LedgerError} `corrupt_row` for a row that this package cannot have written. */
export function channelIn(row: Row): ChannelRecord {
  return {
    id: read.hex(row, 'id'),
    chainId: read.whole(row, 'chain_id'),
    config: {
      payer: read.hex(row, 'payer'),
      payerAuthorizer: read.hex(row, 'payer_authorizer'),
      receiver: read.hex(row, 'receiver'),
      receiverAuthorizer: read.hex(row, 'receiver_authorizer'),
      token: read.hex(row, 'token'),
      withdrawDelay: read.whole(row, 'withdraw_delay'),
      salt: read.hex(row, 'salt'),
    },
    status: read.oneOf(row, 'status', channelStatuses),
    reason: read.textOrNull(row, 'reason'),
    version: read.whole(row, 'version'),
    deposited: usdc(row, 'deposited'),
    returned: usdc(row, 'returned'),
    charged: usdc(row, 'charged'),
    reserved: usdc(row, 'reserved'),
    signed: usdc(row, 'signed'),
    signature: read.hexOrNull(row, 'signature'),
    claimed: usdc(row, 'claimed'),
    unclaimedSince: read.timeOrNull(row, 'unclaimed_since'),
    refundNonce: read.amount(row, 'refund_nonce'),
    withdrawAt: read.wholeOrNull(row, 'withdraw_at'),
    seenBlock: read.whole(row, 'seen_block'),
    turn: turnIn(row),
    lease: read.leaseIn(row),
    lastCallAt: read.time(row, 'last_call_at'),
    createdAt: read.time(row, 'created_at'),
    updatedAt: read.time(row, 'updated_at'),
  }
}

export function movementColumns(movement: ChannelMovement): Values {
  return {
    kind: movement.kind,
    chain_id: BigInt(movement.chainId),
    channel_id: movement.channelId,
    amount: movement.amount,
    ...proofColumns(movement.proof),
    lost: movement.lost ? 1n : 0n,
    at: BigInt(movement.at),
  }
}

/** @throws {LedgerError} `corrupt_row` for a row that this package cannot have written. */
export function movementIn(row: Row): ChannelMovement {
  const proof = proofIn(row, 'proof')
  if (proof === null) throw new LedgerError('corrupt_row', 'a movement has no proof')
  return {
    kind: read.oneOf(row, 'kind', channelMovementKinds),
    chainId: read.whole(row, 'chain_id'),
    channelId: read.hexOrNull(row, 'channel_id'),
    amount: usdc(row, 'amount'),
    proof,
    lost: read.whole(row, 'lost') === 1,
    at: read.time(row, 'at'),
  }
}

export function channelEntryColumns(entry: ChannelEntry): Values {
  const { debit, credit, amount, at } = entry
  return { debit, credit, amount, at: BigInt(at) }
}

export function channelEntryIn(row: Row): ChannelEntry {
  return {
    channelId: read.hexOrNull(row, 'channel_id'),
    debit: read.oneOf(row, 'debit', accounts),
    credit: read.oneOf(row, 'credit', accounts),
    amount: usdc(row, 'amount'),
    at: read.time(row, 'at'),
  }
}

function turnIn(row: Row): ChannelRecord['turn'] {
  const digest = read.textOrNull(row, 'turn_digest')
  if (digest === null) return null
  return { digest, max: usdc(row, 'turn_max'), until: read.whole(row, 'turn_until') }
}

function usdc(row: Row, column: string): Usdc {
  return atomicUsdc(read.amount(row, column))
}
