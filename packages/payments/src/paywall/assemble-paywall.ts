import type { Hex } from '@farebox/ledger'
import type { RefundSender, RefundSigner } from '../chain/chain.ts'
import type { PaymentNetwork } from '../chain/network.ts'
import type { ChannelRounds } from '../channel-chain/channel-rounds.ts'
import {
  type ChannelEndpoint,
  createChannelEndpoint,
} from '../channel-endpoint/channel-endpoint.ts'
import { createPaymentGate } from '../gate/create-payment-gate.ts'
import type { ChannelSelling, PaymentGateOptions } from '../gate/gate-ports.ts'
import type { PaymentGate } from '../gate/payment-gate.ts'
import { paymentPolicy } from '../policy/payment-policy.ts'
import { paymentPorts } from '../policy/payment-ports.ts'
import { createRecovery, type Recovery } from '../recovery/recovery.ts'
import { createRefundWorker, type RefundWorker } from '../refund-worker/refund-worker.ts'
import { createTreasuryMonitor, type TreasuryMonitor } from '../treasury/treasury-monitor.ts'

export type PaywallParts = Omit<PaymentGateOptions, 'ownAccounts'> & {
  /** Pays gas here; it cannot pay us. */
  readonly relayer?: Hex | undefined
  /** Sends refunds. Without it they are recorded as due and stay unsent. */
  readonly refunding?: { readonly sender: RefundSender; readonly signer: RefundSigner } | undefined
  /** Monitors the treasury, whose owner may move its money to these accounts. */
  readonly monitoring?: { readonly ownAccounts: readonly Hex[] } | undefined
  /** Claims from payment channels and closes them; `channels` sells from them. */
  readonly channelRounds?: ChannelRounds | undefined
  readonly publicUrl?: string | undefined
  /** Called last by `close()`. */
  readonly release?: () => Promise<void>
}

/**
 * The paying side of an app: takes payments, completes what a crash interrupted, and sends refunds.
 */
export type Paywall = {
  readonly network: PaymentNetwork
  readonly treasury: Hex
  /** The address of this app for its clients, when it was given. */
  readonly publicUrl: string | undefined
  readonly gate: PaymentGate
  /** Returns the rest of payment channels; undefined if channels are off. */
  readonly channelEndpoint: ChannelEndpoint | undefined
  readonly recovery: Recovery
  readonly refunds: RefundWorker | undefined
  readonly treasuryMonitor: TreasuryMonitor | undefined
  /** Undefined if channels are off. */
  readonly channelRounds: ChannelRounds | undefined
  /** Starts recovery, refunds, the rounds of channels and the treasury monitor in the background. */
  start(): void
  /**
   * Ends the background work. With `drainMs`, refunds continue until all are sent, for at most that
   * long; the next paywall on the same store sends the rest.
   */
  stop(options?: { readonly drainMs?: number }): Promise<void>
  /** Stops, and ends the leases of the gate and the relayer's transactions. */
  close(): Promise<void>
}

/** Assembles a paywall from existing parts. It does nothing until `start()`. */
export function assemblePaywall(parts: PaywallParts): Paywall {
  const { network, payTo, relayer, refunding, monitoring, publicUrl, release } = parts
  const { channelRounds } = parts
  const ownAccounts = relayer === undefined ? [] : [relayer]
  const gate = createPaymentGate({ ...parts, ownAccounts })
  const recovery = createRecovery(parts)
  const refunds = refunding && createRefundWorker({ ...parts, ...refunding })
  const treasuryMonitor =
    monitoring &&
    createTreasuryMonitor({
      ...parts,
      ...monitoring,
      chainId: network.chainId,
      asset: network.usdc,
      treasury: payTo,
    })

  async function stop(options?: { readonly drainMs?: number }): Promise<void> {
    const background = [recovery.stop(), treasuryMonitor?.stop(), channelRounds?.stop()]
    await Promise.all([...background, refunds?.stop(options)])
  }

  return {
    network,
    treasury: payTo,
    publicUrl,
    gate,
    channelEndpoint:
      parts.channels && openEndpoint({ ...parts, gate }, parts.channels, ownAccounts),
    recovery,
    refunds,
    treasuryMonitor,
    channelRounds,
    start() {
      recovery.start()
      refunds?.start()
      treasuryMonitor?.start()
      channelRounds?.start()
    },
    stop,
    async close() {
      gate.close()
      await stop()
      await release?.()
    },
  }
}

function openEndpoint(
  parts: PaywallParts & { readonly gate: PaymentGate },
  channels: ChannelSelling,
  ownAccounts: readonly Hex[],
): ChannelEndpoint {
  const { store, clock, network, payTo, policy, gate, channelRounds } = parts
  const { maxTimeoutSeconds } = paymentPolicy(policy)
  const terms = channels.termsFor({ network, payTo, maxTimeoutSeconds })
  const closeNow = channelRounds?.closeNow
  const { notify } = paymentPorts(parts)
  return createChannelEndpoint({ store, gate, clock, notify, terms, ownAccounts, closeNow })
}
