import { randomBytes } from 'node:crypto'
import type { Hex, LedgerStore } from '@farebox/ledger'
import type { Usdc } from '@farebox/money'
import type { ChainReader, RefundSender } from '../chain/chain.ts'
import { createChainReader } from '../chain/chain-reader.ts'
import { type NetworkName, type PaymentNetwork, paymentNetwork } from '../chain/network.ts'
import type { Observer } from '../events/payment-events.ts'
import { createInProcessFacilitator } from '../facilitators/in-process-facilitator.ts'
import { createRemoteFacilitator } from '../facilitators/remote-facilitator.ts'
import { createPaymentGate } from '../gate/create-payment-gate.ts'
import type { PaymentGate } from '../gate/payment-gate.ts'
import { createRecovery } from '../recovery/recovery.ts'
import {
  computedRefundMinimum,
  fixedRefundMinimum,
  type RefundMinimum,
} from '../refund-plan/refund-minimum.ts'
import { createFacilitatorRefundSender } from '../refund-sender/facilitator-refund-sender.ts'
import { createRefundSender } from '../refund-sender/refund-sender.ts'
import { createRefundSigner } from '../refund-sender/refund-signer.ts'
import { createRefundWorker } from '../refund-worker/refund-worker.ts'
import { createTransactionQueue, type TransactionQueue } from '../relayer/transaction-queue.ts'
import type { Facilitator } from '../settlement/facilitator.ts'

export type PaywallOptions = {
  readonly network: NetworkName
  readonly rpcUrl: string
  /** Keeps the payments: `openLedger` of `@farebox/ledger/sql`, or a memory store for trials. */
  readonly store: LedgerStore
  /** Of the address that payments go to. It signs refunds and holds no ETH. */
  readonly treasuryKey: Hex
  /** Pays the gas of settlements and refunds. Not needed where a facilitator does. */
  readonly relayerKey?: Hex
  /** An x402 facilitator, in place of this process. */
  readonly facilitatorUrl?: string
  /** The address of this app for its clients; else what each request names as host. */
  readonly publicUrl?: string
  /** The least that is sent back on its own; less adds up per payer. Follows gas by default. */
  readonly refundMinimum?: Usdc
  /** Blocks that confirm a payment before its refund. 1 on the devnet, else 10. */
  readonly refundConfirmations?: number
  readonly maxTimeoutSeconds?: number
  readonly onEvent?: Observer
}

/** The paying side of an app: takes payments, ends what a crash left open, and sends refunds. */
export type Paywall = {
  readonly network: PaymentNetwork
  readonly gate: PaymentGate
  readonly publicUrl: string | undefined
  /** Ends the work in the background. What is owed is sent by the next paywall on the same store. */
  close(): Promise<void>
}

/**
 * Opens a paywall. Its recovery and its refunds run from now on, beside those of any other replica on
 * the same store.
 *
 * @throws {PaywallError} `no_settlement_path` without a relayer and without a facilitator.
 */
export function openPaywall(options: PaywallOptions): Paywall {
  const { rpcUrl, relayerKey, facilitatorUrl: url } = options
  const network = paymentNetwork(options.network)
  const chain = createChainReader({ rpcUrl })
  const queue =
    relayerKey === undefined
      ? undefined
      : createTransactionQueue({ rpcUrl, network, privateKey: relayerKey })
  const facilitator =
    url === undefined
      ? inProcess({ rpcUrl, network, queue })
      : createRemoteFacilitator({ url, chain })
  return openRefundingPaywall({ ...options, network, chain, facilitator, queue })
}

export type RefundingPaywallOptions = Omit<TakingsOptions, 'payTo'> &
  Pick<PaywallOptions, 'treasuryKey' | 'rpcUrl' | 'refundConfirmations'>

/** A paywall over parts that are there already. */
export function openRefundingPaywall(options: RefundingPaywallOptions): Paywall {
  const { rpcUrl, network, facilitator, queue } = options
  const signer = createRefundSigner({ privateKey: options.treasuryKey, network })
  const { paywall, shared } = openTakings({ ...options, payTo: signer.treasury })
  const devnet = network.name === 'devnet'
  const refunds = createRefundWorker({
    ...shared,
    signer,
    sender: senderOf({ rpcUrl, network, queue, facilitator }),
    confirmations: options.refundConfirmations ?? (devnet ? 1 : 10),
    ...(devnet ? { pollSeconds: 0.2 } : {}),
  })
  refunds.start()
  return {
    ...paywall,
    async close() {
      await Promise.all([paywall.close(), refunds.stop()])
      queue?.close()
    },
  }
}

type Carrying = {
  readonly rpcUrl: string
  readonly network: PaymentNetwork
  readonly queue: TransactionQueue | undefined
}

function inProcess({ rpcUrl, network, queue }: Carrying): Facilitator {
  if (queue === undefined) throw new PaywallError()
  return createInProcessFacilitator({ rpcUrl, network, queue })
}

function senderOf(carrying: Carrying & { readonly facilitator: Facilitator }): RefundSender {
  const { rpcUrl, network, queue, facilitator } = carrying
  return queue === undefined
    ? createFacilitatorRefundSender({ rpcUrl, network, facilitator })
    : createRefundSender({ rpcUrl, network, queue })
}

export type TakingsOptions = Pick<
  PaywallOptions,
  'store' | 'publicUrl' | 'refundMinimum' | 'maxTimeoutSeconds' | 'onEvent'
> & {
  readonly network: PaymentNetwork
  readonly chain: ChainReader
  readonly facilitator: Facilitator
  readonly payTo: Hex
  readonly queue?: TransactionQueue | undefined
}

/** A paywall that takes payments and recovers them, without the sending of refunds. */
export function openTakings(options: TakingsOptions): {
  readonly paywall: Paywall
  readonly shared: SharedPorts
} {
  const { network, payTo, queue, publicUrl, maxTimeoutSeconds } = options
  const shared = sharedPorts(options)
  const gate = createPaymentGate({
    ...shared,
    network,
    payTo,
    ownAccounts: queue === undefined ? [] : [queue.relayer],
    randomBytes,
    ...(maxTimeoutSeconds === undefined ? {} : { maxTimeoutSeconds }),
  })
  const recovery = createRecovery(shared)
  recovery.start()
  async function close(): Promise<void> {
    gate.close()
    await recovery.stop()
  }
  return { shared, paywall: { network, gate, publicUrl, close } }
}

type SharedPorts = {
  readonly store: LedgerStore
  readonly chain: ChainReader
  readonly facilitator: Facilitator
  readonly clock: () => number
  readonly owner: string
  readonly refundMinimum: RefundMinimum
  readonly onEvent?: Observer
}

function sharedPorts(options: TakingsOptions): SharedPorts {
  const { store, chain, facilitator, refundMinimum, onEvent } = options
  return {
    store,
    chain,
    facilitator,
    clock: Date.now,
    owner: `paywall-${randomBytes(8).toString('hex')}`,
    refundMinimum:
      refundMinimum === undefined
        ? computedRefundMinimum({ chain, clock: Date.now })
        : fixedRefundMinimum(refundMinimum),
    ...(onEvent === undefined ? {} : { onEvent }),
  }
}

/** A paywall that could not settle anything. */
export class PaywallError extends Error {
  override readonly name = 'PaywallError'
  readonly code = 'no_settlement_path'
  constructor() {
    super('a paywall needs a relayerKey or a facilitatorUrl to settle payments')
  }
}
