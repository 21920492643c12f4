import { randomBytes } from 'node:crypto'
import type { LedgerStore } from '@farebox/ledger'
import { atomicUsdc } from '@farebox/money'
import {
  type ChainReader,
  computedRefundMinimum,
  createCdpFacilitator,
  createChainReader,
  createFacilitatorRefundSender,
  createInProcessFacilitator,
  createPaymentGate,
  createRecovery,
  createRefundSender,
  createRefundSigner,
  createRefundWorker,
  createRemoteFacilitator,
  createTransactionQueue,
  type Facilitator,
  fixedRefundMinimum,
  type Observer,
  type PaymentGate,
  type PaymentNetwork,
  paymentNetwork,
  type Recovery,
  type RefundMinimum,
  type RefundSender,
  type RefundWorker,
  type TransactionQueue,
} from '@farebox/payments'
import type { Config } from '../settings.ts'
import type { ChainAccess } from './chain-access.ts'
import { leastRelayerWei } from './least-relayer-wei.ts'

export type Payments = {
  readonly network: PaymentNetwork
  readonly treasury: `0x${string}`
  readonly chain: ChainReader
  readonly gate: PaymentGate
  readonly refunds: RefundWorker
  readonly recovery: Recovery
  readonly close: () => void
}

export type PaymentsOptions = {
  readonly config: Config
  readonly access: ChainAccess
  readonly store: LedgerStore
  readonly clock: () => number
  readonly onEvent: Observer
}

/** Below it the next refunds may not be covered. */
const leastTreasury = atomicUsdc(1_000_000n)

/** Puts the paying side together: chain, facilitator, gate, refunds, recovery. */
export function composePayments({
  config,
  access,
  store,
  clock,
  onEvent,
}: PaymentsOptions): Payments {
  const { rpcUrl } = access
  const network = paymentNetwork(config.NETWORK)
  const chain = createChainReader({ rpcUrl })
  const signer = createRefundSigner({ privateKey: access.treasuryKey, network })
  const { facilitator, sender, queue } = carriers({ config, access, network, chain })
  const refundMinimum = refundMinimumOf(config, chain, clock)
  const owner = `replica-${randomBytes(8).toString('hex')}`
  const shared = { store, chain, facilitator, refundMinimum, clock, owner, onEvent }
  const gate = createPaymentGate({
    ...shared,
    network,
    payTo: signer.treasury,
    ownAccounts: queue === undefined ? [] : [queue.relayer],
    randomBytes,
    replaySeconds: config.REPLAY_SECONDS,
    resumeSeconds: config.RESUME_SECONDS,
    leaseSeconds: config.LEASE_SECONDS,
  })
  const refunds = createRefundWorker({
    ...shared,
    sender,
    signer,
    ...refundLimits(config),
    ...watches(config, network, queue),
  })
  const recovery = createRecovery({
    ...shared,
    resumeSeconds: config.RESUME_SECONDS,
    leaseSeconds: config.LEASE_SECONDS,
    // Its chain grows no blocks by itself: nothing there would ever lie deep.
    ...(config.NETWORK === 'devnet' && { pollSeconds: 0.5, unsolicitedConfirmations: 1 }),
  })
  return {
    network,
    treasury: signer.treasury,
    chain,
    gate,
    refunds,
    recovery,
    close: () => {
      gate.close()
      queue?.close()
    },
  }
}

/** When refunds are sent, and how much of them at most. */
function refundLimits(config: Config) {
  const { REFUND_CAP_USDC: maxRefund, REFUND_CAP_PER_HOUR_USDC: maxPerHour } = config
  return {
    confirmations: config.REFUND_CONFIRMATIONS ?? (config.NETWORK === 'devnet' ? 1 : 10),
    maxDelaySeconds: config.REFUND_MAX_DELAY_SECONDS,
    leaseSeconds: config.LEASE_SECONDS,
    ...(config.NETWORK === 'devnet' && { pollSeconds: 0.2 }),
    ...(maxRefund && { maxRefund }),
    ...(maxPerHour && { maxPerHour }),
  }
}

/** What the refund worker looks at besides refunds. */
function watches(config: Config, { usdc: asset }: PaymentNetwork, queue?: TransactionQueue) {
  const isDevnet = config.NETWORK === 'devnet'
  return {
    moneyWatch: {
      asset,
      ownAccounts: config.OWN_ACCOUNTS,
      ...(isDevnet && { everySeconds: 1 }),
    },
    alarms: {
      asset,
      ...(!isDevnet && { leastTreasury }),
      ...(queue && { relayer: queue.relayer, leastRelayer: leastRelayerWei }),
    },
  }
}

/** Gas is worth nothing on the devnet, so that every refund there is worth its transfer. */
function refundMinimumOf(
  { REFUND_MIN_USDC: given, NETWORK: network }: Config,
  chain: ChainReader,
  clock: () => number,
): RefundMinimum {
  if (given !== undefined) return fixedRefundMinimum(given)
  return network === 'devnet'
    ? fixedRefundMinimum(atomicUsdc(1n))
    : computedRefundMinimum({ chain, clock })
}

type Carriers = {
  readonly facilitator: Facilitator
  readonly sender: RefundSender
  /** Absent where nobody here pays gas. */
  readonly queue: TransactionQueue | undefined
}

type CarriersOptions = {
  readonly config: Config
  readonly access: ChainAccess
  readonly network: PaymentNetwork
  readonly chain: ChainReader
}

/** Who carries settlements and refunds to the chain. */
function carriers({ config, access, network, chain }: CarriersOptions): Carriers {
  const { rpcUrl, relayerKey } = access
  const queue =
    relayerKey === undefined
      ? undefined
      : createTransactionQueue({ rpcUrl, network, privateKey: relayerKey })
  const facilitator = remoteFacilitator(config, chain) ?? inProcess()
  const sender =
    queue === undefined
      ? createFacilitatorRefundSender({ rpcUrl, network, facilitator })
      : createRefundSender({ rpcUrl, network, queue })
  return { facilitator, sender, queue }

  function inProcess(): Facilitator {
    if (queue === undefined)
      throw new TypeError('RELAYER_PRIVATE_KEY is required without a facilitator')
    return createInProcessFacilitator({ rpcUrl, network, queue })
  }
}

function remoteFacilitator(config: Config, chain: ChainReader): Facilitator | undefined {
  const {
    FACILITATOR_URL: url,
    CDP_API_KEY_ID: apiKeyId,
    CDP_API_KEY_SECRET: apiKeySecret,
  } = config
  if (apiKeyId !== undefined && apiKeySecret !== undefined) {
    return createCdpFacilitator({ apiKeyId, apiKeySecret, chain, ...(url && { url }) })
  }
  return url === undefined ? undefined : createRemoteFacilitator({ url, chain })
}
