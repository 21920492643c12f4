import type { Hex, LedgerStore } from '@farebox/ledger'
import type { Usdc } from '@farebox/money'
import type { ChainReader, RefundSender, RefundSigner } from '../chain/chain.ts'
import { type Observer, quietObserver } from '../events/payment-events.ts'
import type { RefundMinimum } from '../refund-plan/refund-minimum.ts'
import { createLoop } from '../scheduling/background-loop.ts'
import { pause, systemTimers, type Timers } from '../scheduling/timers.ts'
import { type BalanceLimits, createBalanceAlarms } from '../treasury/balance-alarms.ts'
import { createMoneyWatch } from '../treasury/money-watch.ts'
import { createRefundBreaker } from './refund-breaker.ts'
import type { RefundPorts } from './refund-ports.ts'
import { type RefundRound, runRefundRound } from './refund-round.ts'

export type RefundWorkerOptions = {
  readonly store: LedgerStore
  readonly chain: ChainReader
  readonly sender: RefundSender
  readonly signer: RefundSigner
  /** The least that is worth a transfer; smaller refunds of a payer add up to it. */
  readonly refundMinimum: RefundMinimum
  readonly clock: () => number
  /** Names this replica in leases. */
  readonly owner: string
  /** Blocks that confirm a settlement before its refund is sent, its own being the first. 10. */
  readonly confirmations?: number
  /** Blocks that confirm a refund, its own being the first, until it is final. 64 by default. */
  readonly finalConfirmations?: number
  /** How long small refunds wait for others at most. 86,400 by default. */
  readonly maxDelaySeconds?: number
  /** Refunds of one transaction. 50 by default. */
  readonly batchSize?: number
  /** Refunds of one round. 500 by default. */
  readonly roundSize?: number
  /** How long a signature is valid. The next has the same nonce and amount. 86,400 by default. */
  readonly validitySeconds?: number
  /** How long a transaction may stay unseen before the same bytes are sent again. 60 by default. */
  readonly resendSeconds?: number
  readonly pollSeconds?: number
  readonly watchSeconds?: number
  readonly leaseSeconds?: number
  /** How long refunds stand still after an obstacle to all of them, before one is tried. 5. */
  readonly pauseSeconds?: number
  /** No single refund may be larger. */
  readonly maxRefund?: Usdc
  /** No more than this is signed away in an hour. */
  readonly maxPerHour?: Usdc
  /** When to raise the alarm over what the treasury and the relayer hold. */
  readonly alarms?: BalanceLimits
  /** Watches over the money of that token: `sales_stopped` says when nothing more may be sold. */
  readonly moneyWatch?: {
    readonly asset: Hex
    /** Where its owner moves the treasury's money. */
    readonly ownAccounts?: readonly Hex[]
    /** How often it looks. 30 by default. */
    readonly everySeconds?: number
  }
  readonly timers?: Timers
  readonly onEvent?: Observer
}

export type RefundWorker = {
  start(): void
  /**
   * Begins no further round and waits for the one that runs. With `drainMs`, rounds go on until
   * nothing is left to send, for so long at most.
   */
  stop(options?: { readonly drainMs?: number }): Promise<void>
  /** Merges, looks at and sends what is due now, once. */
  runOnce(): Promise<RefundRound>
}

/**
 * Creates the worker that sends refunds. Any number of replicas may run one on the same store: a
 * refund is worked on by one at a time, and the token lets its nonce pass once.
 */
export function createRefundWorker(options: RefundWorkerOptions): RefundWorker {
  const ports = refundPorts(options)
  const { clock, timers, notify } = ports
  const checkBalances = createBalanceAlarms({
    ...options,
    treasury: options.signer.treasury,
    notify,
  })
  const watchMoney = moneyWatchOf(options, notify)

  async function runOnce(): Promise<RefundRound> {
    const round = await runRefundRound(ports)
    await checkBalances()
    await watchMoney()
    return round
  }

  const loop = createLoop({
    timers,
    everyMs: ports.pollMs / 2,
    work: runOnce,
    onFault: (error) => {
      notify({ type: 'fault', during: 'refunds', error })
    },
  })

  async function drain(drainMs: number): Promise<void> {
    const deadline = clock() + drainMs
    while (clock() < deadline) {
      const { open, batched } = await runOnce()
      if (open === 0 && batched === 0) return
      await pause(timers, Math.min(ports.pollMs, 250))
    }
  }

  return {
    runOnce,
    start: loop.start,
    async stop({ drainMs = 0 } = {}) {
      await loop.stop()
      if (drainMs > 0) await drain(drainMs)
    },
  }
}

function moneyWatchOf(
  { store, chain, signer, clock, moneyWatch }: RefundWorkerOptions,
  notify: Observer,
): () => Promise<void> {
  if (moneyWatch === undefined) return () => Promise.resolve()
  const { asset, ownAccounts = [], everySeconds = 30 } = moneyWatch
  const { treasury } = signer
  const watched = { store, chain, asset, treasury, ownAccounts }
  return createMoneyWatch({ ...watched, clock, notify, everyMs: everySeconds * 1000 })
}

function refundPorts(options: RefundWorkerOptions): RefundPorts & { readonly timers: Timers } {
  const { store, chain, sender, signer, refundMinimum, clock } = options
  const notify = quietObserver(options.onEvent)
  const pauseMs = (options.pauseSeconds ?? 5) * 1000
  return {
    store,
    chain,
    sender,
    signer,
    refundMinimum,
    clock,
    notify,
    owner: `${options.owner}/refunds`,
    timers: options.timers ?? systemTimers,
    breaker: createRefundBreaker({ clock, pauseMs, notify }),
    isBatchingDue: onceIn((options.pollSeconds ?? 2) * batchPolls * 1000, clock),
    rules: { voidMarginSeconds: 0 },
    confirmations: options.confirmations ?? 10,
    finalConfirmations: options.finalConfirmations ?? 64,
    batchSize: options.batchSize ?? 50,
    roundSize: options.roundSize ?? 500,
    leaseMs: (options.leaseSeconds ?? 60) * 1000,
    pollMs: (options.pollSeconds ?? 2) * 1000,
    watchMs: (options.watchSeconds ?? 15) * 1000,
    resendMs: (options.resendSeconds ?? 60) * 1000,
    validitySeconds: options.validitySeconds ?? 86_400,
    maxDelayMs: (options.maxDelaySeconds ?? 86_400) * 1000,
    maxRefund: options.maxRefund ?? null,
    maxPerHour: options.maxPerHour ?? null,
  }
}

/** Refunds that add up are in no hurry: they are looked at every so many polls. */
const batchPolls = 5

function onceIn(milliseconds: number, clock: () => number): () => boolean {
  let last = Number.NEGATIVE_INFINITY
  return () => {
    const isDue = clock() - last >= milliseconds
    if (isDue) last = clock()
    return isDue
  }
}
