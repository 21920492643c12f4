import type { GasStore, Hex } from '@farebox/ledger'
import type { ChainReader, RefundSender } from '../chain/chain.ts'
import type { PaymentNetwork } from '../chain/network.ts'
import { faultReporter } from '../events/fault-reporter.ts'
import type { Observer } from '../events/payment-events.ts'
import {
  type CdpFacilitatorOptions,
  createCdpFacilitator,
} from '../facilitators/cdp-facilitator.ts'
import {
  createInProcessFacilitator,
  type InProcessFacilitatorOptions,
} from '../facilitators/in-process-facilitator.ts'
import {
  createRemoteFacilitator,
  type RemoteFacilitatorOptions,
} from '../facilitators/remote-facilitator.ts'
import type { PaymentPolicy } from '../policy/payment-policy.ts'
import { createFacilitatorRefundSender } from '../refund-sender/facilitator-refund-sender.ts'
import { createRefundSender } from '../refund-sender/refund-sender.ts'
import { createGasBook, type GasBook } from '../relayer/gas-book.ts'
import { createPreconfirmations } from '../relayer/preconfirmations.ts'
import type { QueueNotice } from '../relayer/transaction-call.ts'
import { createTransactionQueue, type TransactionQueue } from '../relayer/transaction-queue.ts'
import type { RpcOptions } from '../rpc/rpc-client.ts'
import { systemTimers } from '../scheduling/timers.ts'
import type { Facilitator } from '../settlement/facilitator.ts'
import type { SigningKey } from '../signature/signing-key.ts'

/** Any x402 facilitator by its URL, or Coinbase's by an API key. */
export type FacilitatorChoice =
  | Pick<RemoteFacilitatorOptions, 'url' | 'authorize'>
  | Pick<CdpFacilitatorOptions, 'apiKeyId' | 'apiKeySecret' | 'url'>

type SettlementBackendOptions = RpcOptions & {
  readonly network: PaymentNetwork
  readonly chain: ChainReader
  /** Keeps what the relayer pays for gas. */
  readonly store: GasStore
  readonly notify: Observer
  /** Pays the gas of settlements and refunds. Not needed where a facilitator does. */
  readonly relayerKey?: SigningKey | undefined
  /** Settles instead of this process. */
  readonly facilitator?: FacilitatorChoice | undefined
  readonly policy: Pick<PaymentPolicy, 'settleTimeoutMs' | 'settlementGas' | 'releaseWith'>
}

/** How settlements and refunds get onto the chain. */
type SettlementBackend = {
  readonly facilitator: Facilitator
  readonly sender: RefundSender
  /** Undefined if the facilitator pays the gas of refunds too. */
  readonly relayer: Hex | undefined
  /** The relayer's transactions. */
  readonly queue: TransactionQueue | undefined
  close(): Promise<void>
}

/** How often a node of Base shows what is new in the block that is being built. */
const flashblockMs = 200

/**
 * The facilitator settles if there is one, else this process does with its relayer. The relayer sends
 * refunds if there is one, else the facilitator does.
 *
 * @throws {PaywallError} `no_settlement_path` without a relayer and without a facilitator.
 */
export function openSettlementBackend(options: SettlementBackendOptions): SettlementBackend {
  const { relayerKey, policy, store, notify, ...rest } = options
  const { settleTimeoutMs } = policy
  const onFault = faultReporter(options, 'gas')
  const gas = createGasBook({ store, timers: systemTimers, onFault })
  const report = reporter(options, gas)
  const shown = policy.releaseWith === 'preconfirmation' && {
    preconfirmations: createPreconfirmations(options),
    ...(options.network.name !== 'devnet' && { pollMs: flashblockMs }),
  }
  const queue =
    relayerKey === undefined
      ? undefined
      : createTransactionQueue({ ...rest, ...shown, key: relayerKey, notify: report })
  const facilitator = chooseFacilitator({ ...options, ...shown }, queue)
  const sender =
    queue === undefined
      ? createFacilitatorRefundSender({ ...rest, facilitator, settleTimeoutMs })
      : createRefundSender({ ...rest, queue })
  return {
    facilitator,
    sender,
    queue,
    relayer: queue?.relayer,
    close: async () => {
      queue?.close()
      await gas.close()
    },
  }
}

/** Records what is mined, and reports what needs the operator's attention. */
function reporter(
  { network: { chainId }, notify }: SettlementBackendOptions,
  gas: GasBook,
): (notice: QueueNotice) => void {
  return (notice) => {
    if (notice.type === 'mined') {
      const paid = { ...notice.paid, chainId }
      gas.add(paid)
      notify({ type: 'gas_paid', paid })
    } else if (notice.type === 'stuck') {
      notify({ type: 'relayer_stuck', nonce: notice.nonce, reason: notice.reason })
    }
  }
}

function chooseFacilitator(
  {
    facilitator,
    policy,
    ...options
  }: SettlementBackendOptions & Pick<InProcessFacilitatorOptions, 'preconfirmations'>,
  queue: TransactionQueue | undefined,
): Facilitator {
  if (facilitator !== undefined) {
    return 'apiKeyId' in facilitator
      ? createCdpFacilitator({ ...facilitator, chain: options.chain })
      : createRemoteFacilitator({ ...facilitator, chain: options.chain })
  }
  if (queue === undefined) throw new PaywallError('no_settlement_path')
  return createInProcessFacilitator({ ...options, queue, settlementGas: policy.settlementGas })
}

const problems = {
  invalid_option: 'an option is not valid',
  no_settlement_path: 'a paywall needs a relayerKey or a facilitator to settle payments',
  no_channel_relayer: 'channels need a relayerKey, which pays the gas of their claims and refunds',
  one_key: 'relayerKey must not be the treasuryKey: one pays gas, the other receives payments',
  no_treasury_key: 'channels need the treasuryKey of payTo, which claims what they are charged',
} as const

/** The options of a paywall do not allow it to settle, or not in the way that they ask for. */
export class PaywallError extends Error {
  override readonly name = 'PaywallError'
  readonly code: keyof typeof problems
  constructor(code: keyof typeof problems, problem: string = problems[code]) {
    super(problem)
    this.code = code
  }
}
