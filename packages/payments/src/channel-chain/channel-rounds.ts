import type { ChannelRecord, Hex } from '@farebox/ledger'
import type { Block } from '../chain/chain.ts'
import { lowerHex } from '../chain/hex.ts'
import type { PaymentNetwork } from '../chain/network.ts'
import type { ChannelObstacle } from '../events/payment-events.ts'
import { type ChannelPolicy, channelPolicy } from '../policy/channel-policy.ts'
import { createGasBudget } from '../policy/gas-budget.ts'
import { type PaymentPortsOptions, paymentPorts } from '../policy/payment-ports.ts'
import type { TransactionQueue } from '../relayer/transaction-queue.ts'
import { createLoop, type Loop } from '../scheduling/background-loop.ts'
import type { ChannelAuthorizer } from './channel-authorizer.ts'
import type { ChannelChain } from './channel-chain.ts'
import type { ChannelRoundPorts } from './channel-round-ports.ts'
import { addResults, type ClaimResult, nothingClaimed } from './claim-batch.ts'
import { claimRound, claimWithdrawing } from './claim-round.ts'
import { type CloseOutcome, closeNow, closeRound } from './close-round.ts'
import { createSettleRound } from './settle-round.ts'
import { createWatchRound } from './watch-round.ts'

export type ChannelRoundsOptions = PaymentPortsOptions & {
  readonly network: PaymentNetwork
  /** The receiver of every channel. */
  readonly treasury: Hex
  readonly authorizer: ChannelAuthorizer
  readonly channelChain: ChannelChain
  /** The relayer's, which pays the gas. */
  readonly queue: Pick<TransactionQueue, 'send' | 'receiptOf'>
  /** What differs from `defaultChannelPolicy`. */
  readonly rules?: Partial<ChannelPolicy> | undefined
}

/** What payment channels need of the chain, apart from deposits. */
export type ChannelRounds = Loop & {
  /**
   * Reads the contract's logs, then claims, settles and closes what is due, once. If the logs cannot be
   * read, it claims all the same, and throws.
   */
  runOnce(): Promise<void>
  /**
   * Why nothing may be sold from channels now. Resolves once the logs were read for the first time.
   */
  obstacle(): Promise<ChannelObstacle | undefined>
  /** Returns the rest of a channel that is `closing`, without waiting for a round. Never throws. */
  closeNow(channel: ChannelRecord): Promise<CloseOutcome>
}

/**
 * Creates the rounds that watch payment channels, claim charges, pay them out to the treasury and
 * return the rest. Any number of replicas may run them on the same store: a log is booked once, and
 * claims are cumulative, so that a repeated claim moves nothing.
 */
export function createChannelRounds(options: ChannelRoundsOptions): ChannelRounds {
  const ports = roundPorts(options)
  const { timers, notify, rules } = ports
  const state = createRoundState(ports)
  const watch = createWatchRound(ports)
  const settle = createSettleRound(ports)
  const attempt = attempting(notify)

  let watching: Promise<Block> | null = null

  async function readLogs(): Promise<Block> {
    const head = await watch()
    state.watched(head.timestamp)
    return head
  }

  async function runOnce(): Promise<void> {
    watching = readLogs()
    const [watched] = await Promise.allSettled([watching])
    // A withdrawal may be paid out before the logs can be read again.
    await claim(watched.status === 'fulfilled' ? watched.value.number : null)
    if (watched.status === 'rejected') throw watched.reason
    await attempt(settle)
    await attempt(() => closeRound(ports))
    state.report()
  }

  async function claim(watched: number | null): Promise<void> {
    const withdrawing = (await attempt(() => claimWithdrawing(ports, watched))) ?? oneWaiting
    const due = (await attempt(() => claimRound(ports))) ?? oneWaiting
    state.claimed(addResults(withdrawing, due))
  }

  const loop = createLoop({
    timers,
    everyMs: rules.watchMs,
    work: runOnce,
    onFault: (error) => {
      notify({ type: 'fault', during: 'channels', error })
      state.report()
    },
  })
  return {
    ...loop,
    runOnce,
    async obstacle() {
      if (state.obstacle() === 'channels_not_watched') await watching?.catch(() => undefined)
      return state.obstacle()
    },
    async closeNow(channel) {
      const outcome = await attempt(() => closeNow(ports, channel))
      return outcome ?? { status: 'closing', channel }
    },
  }
}

/** A failed step does not delay the others. */
function attempting(notify: ChannelRoundPorts['notify']) {
  return async <Result>(work: () => Promise<Result>): Promise<Result | undefined> => {
    try {
      return await work()
    } catch (error) {
      notify({ type: 'fault', during: 'channels', error })
      return undefined
    }
  }
}

const oneWaiting: ClaimResult = { ...nothingClaimed, waiting: 1 }

/** Its leases are distinct from those of the gate. */
function roundPorts(options: ChannelRoundsOptions): ChannelRoundPorts {
  const { network, treasury, authorizer, channelChain, queue } = options
  const ports = paymentPorts(options)
  const rules = channelPolicy(options.rules)
  return {
    ...ports,
    owner: `${ports.owner}/channels`,
    network,
    treasury: lowerHex(treasury),
    authorizer,
    channelChain,
    queue,
    rules,
    closingGas: createGasBudget(rules.closingGasPerHour, ports.clock),
  }
}

type RoundState = {
  /** The logs were read up to a block of this time, in seconds since 1970. */
  watched(timestamp: number): void
  claimed(result: ClaimResult): void
  obstacle(): ChannelObstacle | undefined
  /** Reports what has changed since the last report. */
  report(): void
}

/** Parts of the delay of withdrawals that pass before nothing is sold from channels any more. */
const unwatchedPart = 8
const failingPart = 4

/** Nothing is sold before the first round has read the logs: a restored backup shows in them. */
function createRoundState({ clock, notify, network, rules }: ChannelRoundPorts): RoundState {
  const delayMs = rules.withdrawDelaySeconds * 1_000
  let watchedAt = Number.NEGATIVE_INFINITY
  let failingSince: number | null = null
  let reported: ChannelObstacle | undefined

  function obstacle(): ChannelObstacle | undefined {
    const now = clock()
    if (now - watchedAt > delayMs / unwatchedPart) return 'channels_not_watched'
    const isFailing = failingSince !== null && now - failingSince > delayMs / failingPart
    return isFailing ? 'channel_claims_failing' : undefined
  }

  return {
    watched(timestamp) {
      // A devnet mines only what is sent, so its last block may be old.
      watchedAt = network.name === 'devnet' ? clock() : Math.min(clock(), timestamp * 1_000)
    },
    claimed(result) {
      const { claimed, refused, waiting } = result
      failingSince = waiting === 0 || claimed > 0 ? null : (failingSince ?? clock())
      if (claimed + refused + waiting > 0) notify({ type: 'channels_claimed', ...result })
    },
    obstacle,
    report() {
      const current = obstacle()
      if (current === reported) return
      if (reported !== undefined) notify({ type: 'channels_resumed', reason: reported })
      if (current !== undefined) notify({ type: 'channels_stopped', reason: current })
      reported = current
    },
  }
}
