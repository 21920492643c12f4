import type { ChannelConfig, ChannelTurn, Hex } from '@farebox/ledger'
import { depositCollector } from '../chain/addresses.ts'
import { channelDigests } from '../channel/channel-digests.ts'
import type { ChannelTerms } from '../channel/channel-requirements.ts'
import { type CheckVoucher, createVoucherCheck } from '../channel/check-voucher.ts'
import type { ChannelChain } from '../channel-chain/channel-chain.ts'
import type { ChannelObstacle } from '../events/payment-events.ts'
import { type CheckPayer, createPayerCheck } from '../gate/check-payer.ts'
import type { GatePorts } from '../gate/gate-ports.ts'
import { createOneAtATime, type OneAtATime } from '../scheduling/one-at-a-time.ts'
import { authorizationDigests } from '../signature/authorization-digest.ts'
import {
  type CheckPayment,
  clockSkewSeconds,
  createPaymentCheck,
} from '../signature/check-payment.ts'
import { createDepositBudget, type DepositBudget } from './deposit-budget.ts'
import { createExposure, type Exposure } from './exposure.ts'
import { createHeldCalls, type HeldCalls } from './held-calls.ts'
import { createTurnstile, type Turnstile } from './turnstile.ts'

/** What the parts of selling by channel share. */
export type ChannelPorts = GatePorts & {
  readonly channelTerms: ChannelTerms
  readonly channelIdOf: (config: ChannelConfig) => Hex
  readonly checkVoucher: CheckVoucher
  /** The signature and the times of a deposit. */
  readonly checkDeposit: CheckPayment
  /** The balance and the code of its payer. */
  readonly checkDepositor: CheckPayer
  readonly depositBudget: DepositBudget
  /** Serializes the deposits into a channel. */
  readonly depositTurn: OneAtATime<Hex>
  readonly exposure: Exposure
  readonly heldCalls: HeldCalls
  readonly turnstile: Turnstile
  /** The last turn in each channel that this process gave for a voucher used long ago. */
  readonly oldTurns: Map<Hex, ChannelTurn>
  readonly obstacle: () => Promise<ChannelObstacle | undefined>
  /** The contract; null if channels that the ledger does not know are accepted without a check. */
  readonly channelChain: Pick<ChannelChain, 'channels'> | null
}

export function channelPorts(
  ports: GatePorts,
  channelTerms: ChannelTerms,
  rounds: Pick<ChannelPorts, 'obstacle' | 'channelChain'>,
): ChannelPorts {
  const { chain, clock, store, timers, payerBudget, ownAccounts } = ports
  const { network, payTo, maxTimeoutSeconds, policy: rules } = channelTerms
  const digests = channelDigests(network.chainId)
  const digestOf = authorizationDigests(network).receive
  return {
    ...ports,
    channelTerms,
    channelIdOf: rememberIds(digests.channelId),
    checkVoucher: createVoucherCheck(digests),
    checkDeposit: createPaymentCheck({
      network,
      chain,
      digestOf,
      payTo: depositCollector,
      ownAccounts: [payTo, ...ownAccounts],
      maxValiditySeconds: maxTimeoutSeconds + clockSkewSeconds,
    }),
    checkDepositor: createPayerCheck({ chain, network, payerBudget, digestOf }),
    depositBudget: createDepositBudget(rules, clock),
    depositTurn: createOneAtATime(),
    exposure: createExposure(store, clock, {
      max: rules.maxUnclaimedTotal,
      newPayers: rules.newPayers,
    }),
    heldCalls: createHeldCalls(),
    turnstile: createTurnstile({ timers, maxWaiting: rules.maxWaiting }),
    oldTurns: new Map(),
    ...rounds,
  }
}

const maxRemembered = 10_000

/** The configuration of a channel never changes, and its hash takes as long as a signature. */
function rememberIds(idOf: (config: ChannelConfig) => Hex): (config: ChannelConfig) => Hex {
  const known = new Map<string, Hex>()
  return function channelIdOf(config) {
    const key = Object.values(config).join()
    const found = known.get(key)
    if (found !== undefined) return found
    const id = idOf(config)
    if (known.size >= maxRemembered) known.clear()
    known.set(key, id)
    return id
  }
}
