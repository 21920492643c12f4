import { createHash } from 'node:crypto'
import type { Hex, MemorySnapshot } from '@farebox/ledger'
import { createChain, hexOf } from './chain.ts'
import { type ChannelChecker, createChannelChecker } from './channels/channel-checker.ts'
import { chainChannels, drawChannelPayers } from './channels/channel-payer.ts'
import { resumeChannelPayers, startChannelPayers } from './channels/run-channels.ts'
import { buy } from './client.ts'
import { createCountedDisk } from './counted-disk.ts'
import { every } from './every.ts'
import { drawFaults, type Faults, noFaults, type PlantedBug } from './faults.ts'
import { hostilities, startHostilePayers } from './hostile-payers.ts'
import { createInvariantChecker, type InvariantChecker } from './invariant-checker.ts'
import { endViolations, stepViolations, unfinished, unservedCharges } from './invariants.ts'
import { runOperator } from './operator.ts'
import { confirmations, finalConfirmations, type Replica, startReplica } from './replica.ts'
import { runChain } from './run-chain.ts'
import { runClocks } from './run-clocks.ts'
import { runToken } from './run-token.ts'
import { readOnChange, type SimContext } from './sim-context.ts'
import { createWorld } from './world.ts'

export type RunReport = {
  readonly seed: number
  readonly violations: readonly string[]
  readonly payments: number
  readonly steps: number
  /** Simulated time from the last fault until no payment was open. */
  readonly secondsToRest: number
  readonly counts: ReadonlyMap<string, number>
  /** Of all changes of state, in order: equal seeds give equal digests. */
  readonly digest: string
}

const treasury: Hex = hexOf(0x7ea5, 20)
const faultyMs = 90_000
const patienceMs = 3_000_000
const togetherMs = 40_000

export type RunOptions = {
  readonly plantedBug?: PlantedBug
  /**
   * Reorganizations are deeper than the operator's confirmations: a refund may then be paid for a
   * payment that vanishes. The ledger must show that loss, to the unit.
   */
  readonly undoesConfirmed?: boolean
  /** At the end, the ledger is replaced by a backup from before the last refunds. */
  readonly restoresBackup?: boolean
  /** How payments are settled: in groups for odd seeds unless this says otherwise. */
  readonly settlesInGroups?: boolean
  /** An operator writes off blocked refunds and retries them at the end. */
  readonly hasOperator?: boolean
  /** Besides the others there are payers who attack; with channels, it is their payers who do. */
  readonly hasHostilePayers?: boolean
  /** The clocks of replicas are set, forward and back, by up to half an hour. */
  readonly setsClocks?: boolean
  /** Besides the others there are payers with channels, and thieves of their vouchers. */
  readonly sellsByChannel?: boolean
  /**
   * Of the payers there are only those with channels, and when they are done the ledger is replaced by a
   * backup from before some of their vouchers.
   */
  readonly forgetsVouchers?: boolean
}

/** Runs the whole system: with faults for a while, then without until nothing is open. */
export async function simulate(seed: number, options: RunOptions = {}): Promise<RunReport> {
  const run = createRun(seed, options)
  const { context, checker } = run
  const faultsEndAt = context.world.now() + faultyMs
  const backup = await runUntilDone(run, {
    faultsEndAt,
    restsFirst: options.forgetsVouchers !== true,
  })
  if (options.restoresBackup === true && backup !== null) await runFromBackup(run, backup)
  if (options.forgetsVouchers === true) await runWithoutVouchers(run)
  if (checker.violations.length === 0) {
    for (const violation of endViolations(context, treasury)) checker.report(violation)
    for (const violation of run.channelChecker?.endViolations() ?? []) checker.report(violation)
    if (options.restoresBackup !== true) {
      for (const violation of unservedCharges(context, checker)) checker.report(violation)
    }
  }
  return {
    seed,
    violations: checker.violations,
    payments: context.disk.payments.size,
    steps: context.world.steps(),
    secondsToRest: Math.round((context.world.now() - faultsEndAt) / 1000),
    counts: run.counts,
    digest: run.hash.digest('hex'),
  }
}

/** Runs until nothing is open. Returns a backup from when all services, but no refunds, had ended. */
async function runUntilDone(
  run: Run,
  { faultsEndAt, restsFirst }: { readonly faultsEndAt: number; readonly restsFirst: boolean },
): Promise<MemorySnapshot | null> {
  const { context, checker } = run
  const { world } = context
  let haveFaultsEnded = false
  let backup: MemorySnapshot | null = null
  while (checker.violations.length === 0 && (await world.step())) {
    if (!haveFaultsEnded && world.now() >= faultsEndAt) {
      haveFaultsEnded = true
      run.endFaults()
    }
    run.check()
    if (!haveFaultsEnded || run.openClients() > 0) continue
    if (!restsFirst) break
    if (backup === null && haveServicesEnded(context)) backup = context.disk.snapshot()
    if (run.left().length === 0) break
    if (world.now() - faultsEndAt > patienceMs) {
      for (const what of run.left()) checker.report(`did not finish: ${what}`)
    }
  }
  return backup
}

/** Restores the backup after everything was paid: not a unit may be paid twice. */
async function runFromBackup(run: Run, backup: MemorySnapshot): Promise<void> {
  const { context, checker } = run
  const refundsBefore = refundsOnChain(context)
  run.restore(backup)
  context.count('backups restored')
  const until = context.world.now() + patienceMs
  while (checker.violations.length === 0 && unfinished(context).length > 0) {
    await context.world.step()
    if (context.world.now() > until) {
      for (const what of unfinished(context))
        checker.report(`did not finish after the restore: ${what}`)
    }
  }
  for (const violation of stepViolations(context, treasury)) checker.report(violation)
  if (refundsOnChain(context) !== refundsBefore)
    checker.report('a refund was paid twice after a restored backup')
}

/** Restores a backup from the middle of the run: payers and thieves continue with what they have. */
async function runWithoutVouchers(run: Run): Promise<void> {
  const { context, checker, channelChecker, earlier, left } = run
  if (checker.violations.length > 0 || channelChecker === undefined) return
  const loss = channelChecker.onRestore(earlier())
  context.count('channel: backups restored')
  if (loss > 0n) context.count('channel: backups that lost charges')
  run.restore(earlier())
  const openPayers = run.resume()
  const until = context.world.now() + patienceMs
  while (checker.violations.length === 0 && (openPayers() > 0 || left().length > 0)) {
    await context.world.step()
    run.check()
    if (context.world.now() < until) continue
    for (const what of left()) checker.report(`did not finish after the restore: ${what}`)
  }
}

function refundsOnChain({ chain }: SimContext): number {
  const refunds = chain
    .logs()
    .filter(({ call }) => call.kind === 'transfer' && call.from === treasury)
  return refunds.length
}

function haveServicesEnded({ disk }: SimContext): boolean {
  const ended = ['completed', 'failed', 'rejected', 'void']
  return [...disk.payments.values()].every(({ status }) => ended.includes(status))
}

type Run = {
  readonly context: SimContext
  readonly checker: InvariantChecker
  readonly channelChecker: ChannelChecker | undefined
  readonly counts: ReadonlyMap<string, number>
  readonly hash: ReturnType<typeof createHash>
  openClients(): number
  endFaults(): void
  /** What is still open. */
  left(): readonly string[]
  restore(backup: MemorySnapshot): void
  /** A backup from the middle of the faults. */
  earlier(): MemorySnapshot
  /** Lets the payers with channels continue. Returns how many do. */
  resume(): () => number
  /** Checks the invariants, if anything has changed. */
  check(): void
}

function createRun(seed: number, options: RunOptions): Run {
  const world = createWorld(seed)
  const { random } = world
  const payers = Array.from({ length: random.whole(2, 5) }, (_, index) => hexOf(0xabc0 + index, 20))
  const funds = new Map(payers.map((payer) => [payer, BigInt(random.whole(1, 12)) * 10_000n]))
  const buysByTransfer = options.hasHostilePayers === true && options.sellsByChannel !== true
  const attackers = buysByTransfer ? hostilities : []
  const hostile = attackers.map((_, index) => hexOf(0xbad0 + index, 20))
  for (const payer of hostile) funds.set(payer, 50_000n)
  // Small deposits are needed again and again, so that attacks with deposits are more than refused.
  const depositing =
    options.hasHostilePayers === true
      ? { least: 5_000, most: 9_000 }
      : { least: 20_000, most: 60_000 }
  const channelPayers =
    options.sellsByChannel === true ? drawChannelPayers(random, treasury, depositing) : []
  for (const { address } of channelPayers) funds.set(address, BigInt(random.whole(6, 30)) * 10_000n)
  const chain = createChain(random.fork(), funds, chainChannels(channelPayers))
  const counts = new Map<string, number>()
  const settlesInGroups = options.settlesInGroups ?? seed % 2 === 1
  const releasesWithPreconfirmation = settlesInGroups && [1, 5].includes(seed % 16)
  const drawn = drawFaults(random)
  let faults: Faults = drawn
  const context: SimContext = {
    world,
    chain,
    disk: createCountedDisk(),
    claimed: new Set(),
    sound: new WeakMap(),
    reverting: new Set(),
    faults: () => faults,
    plantedBug: options.plantedBug ?? null,
    settlesInGroups,
    overlaps: seed % 8 === 4 || releasesWithPreconfirmation,
    releasesWithPreconfirmation,
    shown: new Set(),
    beginsWithProof: seed % 4 === 0,
    setsClocks: options.setsClocks === true,
    deepestReorganization:
      options.undoesConfirmed === true ? finalConfirmations - 1 : confirmations - 2,
    count: (what) => void counts.set(what, (counts.get(what) ?? 0) + 1),
  }
  const checker = createInvariantChecker(chain)
  const channelChecker =
    options.sellsByChannel === true ? createChannelChecker(context, channelPayers) : undefined
  const fleet = startFleet(context, checker, channelChecker)
  if (context.setsClocks) runClocks(context, fleet.skews)
  const buyers = options.forgetsVouchers === true ? [] : payers
  const clients = startClients(context, checker, { payers: buyers, replicas: fleet.up })
  const attacks = { checker, treasury, replicas: fleet.up }
  const openAttacks = startHostilePayers(context, attacks, hostile)
  const channelBuyers = channelChecker && {
    context,
    checker: channelChecker,
    replicas: fleet.up,
    manners: options.hasHostilePayers === true ? ('hostile' as const) : ('stock' as const),
  }
  const openChannels =
    channelBuyers === undefined ? () => 0 : startChannelPayers(channelBuyers, channelPayers)
  runChain(context)
  const payees = [...payers, ...channelPayers.map(({ address }) => address)]
  runToken(context, { treasury, payees })
  if (options.hasOperator === true) runOperator(context)
  let earlier = context.disk.snapshot()
  if (options.forgetsVouchers === true) {
    world.after(random.whole(15_000, 80_000), () => {
      earlier = context.disk.snapshot()
    })
  }
  const hash = createHash('sha256')
  const readState = readOnChange(context, () => stateOf(context))
  let seen = ''
  return {
    context,
    checker,
    channelChecker,
    counts,
    hash,
    openClients: () => clients() + openAttacks() + openChannels(),
    check() {
      const state = readState()
      if (state === seen) return
      seen = state
      hash.update(`${world.now()} ${state}\n`)
      for (const violation of stepViolations(context, treasury)) checker.report(violation)
      for (const violation of channelChecker?.stepViolations() ?? []) checker.report(violation)
    },
    left: readOnChange(context, () => [
      ...unfinished(context),
      ...(channelChecker?.unfinished() ?? []),
    ]),
    earlier: () => earlier,
    resume: () =>
      channelBuyers === undefined ? () => 0 : resumeChannelPayers(channelBuyers, channelPayers),
    restore(backup) {
      fleet.stop()
      context.disk.restore(backup)
      fleet.restart()
    },
    endFaults() {
      faults = noFaults
      fleet.skews.fill(0)
      fleet.restart()
      chain.setPaused(false)
      for (const payee of payees) chain.setBlocked(payee, false)
    },
  }
}

type Fleet = {
  /** How many milliseconds the clock of each slot is ahead. */
  readonly skews: number[]
  readonly up: () => readonly Replica[]
  readonly stop: () => void
  /** Starts the replicas that are down. */
  readonly restart: () => void
}

/** Two or three replicas that crash and restart, each time as a new lease owner. */
function startFleet(
  context: SimContext,
  checker: InvariantChecker,
  channelChecker: ChannelChecker | undefined,
): Fleet {
  const { world } = context
  const { random } = world
  const refundMinimum = random.pick([1n, 1n, 4_000n, 15_000n])
  const slots: Replica[] = []
  const skews: number[] = []
  let incarnation = 0
  const start = (slot: number): void => {
    incarnation += 1
    skews[slot] = random.whole(-400, 400)
    const skew = () => skews[slot] ?? 0
    const owner = `replica-${slot}-${incarnation}`
    const options = { context, checker, channelChecker, treasury, owner, skew, refundMinimum }
    slots[slot] = startReplica(options)
  }
  const kill = (slot: number): void => {
    const replica = slots[slot]
    if (replica === undefined || !replica.process.alive) return
    for (const { status } of context.disk.payments.values()) context.count(`killed while ${status}`)
    for (const { status } of context.disk.transfers.values())
      context.count(`killed while refund ${status}`)
    context.count('kills')
    replica.kill()
    if (context.plantedBug === 'commits are not durable') context.disk.restore(earlier)
    world.after(random.whole(100, 8_000), () => {
      if (slots[slot] === replica) start(slot)
    })
  }
  let earlier = context.disk.snapshot()
  const size = random.whole(2, 3)
  for (let slot = 0; slot < size; slot += 1) start(slot)
  every(context, 1_000, () => {
    for (let slot = 0; slot < size; slot += 1) if (random.chance(context.faults().crash)) kill(slot)
    earlier = context.disk.snapshot()
  })
  return {
    skews,
    up: () => slots.filter(({ process }) => process.alive),
    stop: () => {
      for (const { kill: end } of slots) end()
    },
    restart: () => {
      for (let slot = 0; slot < size; slot += 1)
        if (slots[slot]?.process.alive !== true) start(slot)
    },
  }
}

function startClients(
  context: SimContext,
  checker: InvariantChecker,
  {
    payers,
    replicas,
  }: { readonly payers: readonly Hex[]; readonly replicas: () => readonly Replica[] },
): () => number {
  const { world } = context
  let open = 0
  for (const address of payers) {
    const purchases = world.random.whole(1, 4)
    for (let purchase = 0; purchase < purchases; purchase += 1) {
      open += 1
      const at = world.random.whole(0, faultyMs - 10_000)
      // Payments that arrive together share a transaction.
      world.after(context.settlesInGroups ? at - (at % togetherMs) : at, () => {
        void buy({ context, checker, treasury, address, replicas }).finally(() => {
          open -= 1
        })
      })
    }
  }
  return () => open
}

/** A summary of the ledger and the chain, short enough to be compared after each step. */
function stateOf({ disk, chain }: SimContext): string {
  const payments = [...disk.payments.values()].map(
    ({ version, status, refund }) => `${version}${status}${refund?.status ?? ''}`,
  )
  const transfers = [...disk.transfers.values()].map(({ version, status }) => `${version}${status}`)
  const channels = [...disk.channels.values()].map(({ version }) => version)
  return `${chain.head().hash} ${channels.join(' ')} ${payments.join(' ')} ${transfers.join(' ')}`
}
