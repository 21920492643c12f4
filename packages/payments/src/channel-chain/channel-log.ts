import type { ChannelConfig, Hex, TransferProof } from '@farebox/ledger'
import { atomicUsdc, type Usdc } from '@farebox/money'
import { decodeEventLog, parseAbi, toEventSelector } from 'viem'
import { channelConfigStruct } from '../calls/deposit-call.ts'
import { channelContract } from '../chain/addresses.ts'
import { lowerHex } from '../chain/hex.ts'
import { type MinedLog, proofOf } from '../chain/token-logs.ts'

const events = [
  'event ChannelCreated(bytes32 indexed channelId, ChannelConfig config)',
  'event Deposited(bytes32 indexed channelId, address indexed sender, uint128 amount, uint128 newBalance)',
  'event Claimed(bytes32 indexed channelId, address indexed sender, uint128 claimAmount, uint128 newTotalClaimed)',
  'event Settled(address indexed receiver, address indexed token, address indexed sender, uint128 amount)',
  'event Refunded(bytes32 indexed channelId, address indexed sender, uint128 amount)',
  'event WithdrawInitiated(bytes32 indexed channelId, uint128 amount, uint40 finalizeAfter)',
  'event WithdrawFinalized(bytes32 indexed channelId, address indexed sender, uint128 amount)',
] as const
const abi = parseAbi([channelConfigStruct, ...events])

/** A log of the channel contract, decoded. Amounts are what it moved. */
export type ChannelLog = { readonly proof: TransferProof } & (
  | { readonly type: 'created'; readonly channelId: Hex; readonly config: ChannelConfig }
  | { readonly type: 'deposited'; readonly channelId: Hex; readonly amount: Usdc }
  /** `total` is what the channel has paid since it began. */
  | {
      readonly type: 'claimed'
      readonly channelId: Hex
      readonly amount: Usdc
      readonly total: Usdc
    }
  | { readonly type: 'refunded'; readonly channelId: Hex; readonly amount: Usdc }
  /** `withdrawAt` is in seconds since 1970. */
  | { readonly type: 'withdraw_announced'; readonly channelId: Hex; readonly withdrawAt: number }
  | { readonly type: 'withdrawn'; readonly channelId: Hex; readonly amount: Usdc }
  | {
      readonly type: 'settled'
      readonly receiver: Hex
      readonly token: Hex
      readonly amount: Usdc
    }
)

/** The selectors of the events that are read. */
export const channelEvents: readonly Hex[] = Object.values(abi).flatMap((item) =>
  'inputs' in item ? [toEventSelector(item)] : [],
)

/** Reads a log of the channel contract; `undefined` for any other. */
export function readChannelLog(log: MinedLog): ChannelLog | undefined {
  const [event, ...indexed] = log.topics
  if (log.address !== channelContract || event === undefined) return undefined
  if (!channelEvents.includes(event)) return undefined
  return {
    proof: proofOf(log),
    ...contentOf(decodeEventLog({ abi, topics: [event, ...indexed], data: log.data })),
  }
}

type Decoded = ReturnType<typeof decodeEventLog<typeof abi>>
type Content = ChannelLog extends infer Log
  ? Log extends unknown
    ? Omit<Log, 'proof'>
    : never
  : never

function contentOf(decoded: Decoded): Content {
  switch (decoded.eventName) {
    case 'ChannelCreated': {
      const { channelId, config } = decoded.args
      return { type: 'created', channelId: lowerHex(channelId), config: canonical(config) }
    }
    case 'Deposited':
      return { type: 'deposited', ...amountOf(decoded.args) }
    case 'Claimed': {
      const { channelId, claimAmount: amount, newTotalClaimed } = decoded.args
      const total = atomicUsdc(newTotalClaimed)
      return { type: 'claimed', ...amountOf({ channelId, amount }), total }
    }
    case 'Refunded':
      return { type: 'refunded', ...amountOf(decoded.args) }
    case 'WithdrawInitiated': {
      const { channelId, finalizeAfter: withdrawAt } = decoded.args
      return { type: 'withdraw_announced', channelId: lowerHex(channelId), withdrawAt }
    }
    case 'WithdrawFinalized':
      return { type: 'withdrawn', ...amountOf(decoded.args) }
    case 'Settled': {
      const { receiver, token, amount: units } = decoded.args
      const amount = atomicUsdc(units)
      return { type: 'settled', receiver: lowerHex(receiver), token: lowerHex(token), amount }
    }
  }
}

function amountOf({ channelId, amount }: { readonly channelId: Hex; readonly amount: bigint }): {
  readonly channelId: Hex
  readonly amount: Usdc
} {
  return { channelId: lowerHex(channelId), amount: atomicUsdc(amount) }
}

function canonical(config: ChannelConfig): ChannelConfig {
  const { payer, payerAuthorizer, receiver, receiverAuthorizer, token, withdrawDelay, salt } =
    config
  return {
    payer: lowerHex(payer),
    payerAuthorizer: lowerHex(payerAuthorizer),
    receiver: lowerHex(receiver),
    receiverAuthorizer: lowerHex(receiverAuthorizer),
    token: lowerHex(token),
    withdrawDelay,
    salt: lowerHex(salt),
  }
}
