import { randomBytes } from 'node:crypto'
import type { Hex } from '@farebox/ledger'
import { atomicUsdc } from '@farebox/money'
import type { ChainReader, RefundSigner } from '../chain/chain.ts'
import { createChainReader } from '../chain/chain-reader.ts'
import { lowerHex } from '../chain/hex.ts'
import { type PaymentNetwork, paymentNetwork } from '../chain/network.ts'
import {
  type ChannelAuthorizer,
  createChannelAuthorizer,
} from '../channel-chain/channel-authorizer.ts'
import { createChannelChain } from '../channel-chain/channel-chain.ts'
import { type ChannelRoundsOptions, createChannelRounds } from '../channel-chain/channel-rounds.ts'
import { type ChannelSellingOptions, sellByChannel } from '../channel-gate/sell-by-channel.ts'
import { safeObserver } from '../events/payment-events.ts'
import {
  defaultPaymentPolicy,
  devnetPaymentPolicy,
  type PaymentPolicy,
  paymentPolicy,
} from '../policy/payment-policy.ts'
import {
  computedRefundMinimum,
  fixedRefundMinimum,
  type RefundMinimum,
} from '../policy/refund-minimum.ts'
import { createRefundSigner } from '../refund-sender/refund-signer.ts'
import type { TransactionQueue } from '../relayer/transaction-queue.ts'
import { createRpcClient, type RpcOptions } from '../rpc/rpc-client.ts'
import { assemblePaywall, type Paywall, type PaywallParts } from './assemble-paywall.ts'
import { checkPaywallOptions } from './check-paywall-options.ts'
import type { PaywallOptions } from './paywall-options.ts'
import { openSettlementBackend, PaywallError } from './settlement-backend.ts'

/**
 * Opens a paywall from keys and addresses: `start()` runs its recovery and refunds, alongside other
 * replicas on the same store.
 *
 * @throws {PaywallError} `no_settlement_path` without a relayer and without a facilitator,
 * `no_channel_relayer` for channels without a relayer, `one_key` for a relayer that is the treasury,
 * `invalid_option` for an option that cannot work.
 * @throws {PaymentPolicyError} when a time that must be above zero is not.
 */
export function openPaywall(options: PaywallOptions): Paywall {
  // Plain JavaScript may call it without options.
  const { treasuryKey, ...rest } = { ...options }
  checkPaywallOptions({ ...rest, treasuryKey })
  const network = paymentNetwork(rest.network)
  const key = { key: treasuryKey, network }
  const signer = createRefundSigner(key)
  const authorizer = createChannelAuthorizer(key)
  return open({ payTo: signer.treasury, signing: { signer, authorizer } }, rest)
}

/** A paywall that takes payments for an address whose key is elsewhere: refunds stay due. */
export function openPaywallWithoutRefunds({
  payTo,
  ...options
}: Omit<PaywallOptions, 'treasuryKey' | 'channels'> & { readonly payTo: Hex }): Paywall {
  checkPaywallOptions(options)
  return open({ payTo: lowerHex(payTo), signing: undefined }, options)
}

type Treasury = {
  readonly payTo: Hex
  /** Undefined if its key is elsewhere. */
  readonly signing:
    | { readonly signer: RefundSigner; readonly authorizer: ChannelAuthorizer }
    | undefined
}

function open({ payTo, signing }: Treasury, options: Omit<PaywallOptions, 'treasuryKey'>): Paywall {
  const { rpcUrl, store, relayerKey, facilitator, monitoring, publicUrl, onEvent } = options
  const { clock = Date.now, payerLimits, channels } = options
  const network = paymentNetwork(options.network)
  const policy = paymentPolicy({ ...networkPolicy(network), ...options.policy })
  const rpc = sharedRpc(rpcUrl)
  const chain = createChainReader(rpc)
  const notify = safeObserver(onEvent)
  const settling = { network, chain, store, policy, relayerKey, facilitator, notify }
  const backend = openSettlementBackend({ ...rpc, ...settling })
  if (backend.relayer === payTo) throw new PaywallError('one_key')
  const ports = {
    store,
    chain,
    clock,
    network,
    policy,
    owner: `replica-${randomBytes(8).toString('hex')}`,
    refundMinimum: refundMinimumOf(options, { network, chain, clock }),
    ...(onEvent && { onEvent }),
  }
  const { queue } = backend
  return assemblePaywall({
    ...ports,
    payTo,
    publicUrl,
    payerLimits,
    monitoring,
    randomBytes,
    facilitator: backend.facilitator,
    relayer: backend.relayer,
    refunding: signing && { signer: signing.signer, sender: backend.sender },
    release: backend.close,
    ...(signing &&
      channels &&
      openChannels({ ...ports, ...rpc, ...signing, queue, treasury: payTo }, channels)),
  })
}

type ChannelParts = Omit<ChannelRoundsOptions, 'channelChain' | 'queue' | 'rules'> &
  RpcOptions & { readonly queue: TransactionQueue | undefined }

/** Channels are sold from only while they are watched and claimed. */
function openChannels(
  { queue, ...parts }: ChannelParts,
  options: ChannelSellingOptions,
): Pick<PaywallParts, 'channels' | 'channelRounds'> {
  if (queue === undefined) throw new PaywallError('no_channel_relayer')
  const channelChain = createChannelChain(parts)
  const rules = options.policy
  const channelRounds = createChannelRounds({ ...parts, queue, channelChain, rules })
  const { obstacle } = channelRounds
  return { channelRounds, channels: sellByChannel({ obstacle, channelChain, ...options }) }
}

/** Shares recent answers of the node between the parts of a paywall. */
function sharedRpc(rpcUrl: string): RpcOptions {
  const options = { rpcUrl, freshMs: 250 }
  return { ...options, client: createRpcClient(options) }
}

function networkPolicy({ name }: PaymentNetwork): PaymentPolicy {
  return name === 'devnet' ? devnetPaymentPolicy : defaultPaymentPolicy
}

type MinimumParts = {
  readonly network: PaymentNetwork
  readonly chain: ChainReader
  readonly clock: () => number
}

/** Gas is free on a devnet, so every refund there gets its own transfer. */
function refundMinimumOf(
  {
    refundMinimum: minimum,
    dollarsPerEther,
  }: Pick<PaywallOptions, 'refundMinimum' | 'dollarsPerEther'>,
  { network, chain, clock }: MinimumParts,
): RefundMinimum {
  if (minimum !== undefined) return fixedRefundMinimum(minimum)
  return network.name === 'devnet'
    ? fixedRefundMinimum(atomicUsdc(1n))
    : computedRefundMinimum({ chain, clock, ...(dollarsPerEther && { dollarsPerEther }) })
}
