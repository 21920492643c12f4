import { createHash } from 'node:crypto'
import { createMemoryDisk, type Hex, type MemorySnapshot } from '@farebox/ledger'
import type { Arena } from './arena.ts'
import { createChain, hexOf } from './chain.ts'
import { buy } from './client.ts'
import { drawFaults, type Faults, noFaults, type Sabotage } from './faults.ts'
import { cold, faultsOfEnd, faultsOfStep, sweepPrefix, unfinished } from './invariants.ts'
import { runOperator } from './operator.ts'
import { confirmations, finalConfirmations, type Replica, startReplica } from './replica.ts'
import { createWitness, type Witness } from './witness.ts'
import { createWorld } from './world.ts'

export type RunReport = {
  readonly seed: number
  readonly violations: readonly string[]
  readonly payments: number
  readonly steps: number
  /** Of simulated time, from the end of the faults to the end of the last payment. */
  readonly secondsToRest: number
  readonly counts: ReadonlyMap<string, number>
  /** Of everything that happened, in order: equal seeds give equal digests. */
  readonly digest: string
}

const treasury: Hex = hexOf(0x7ea5, 20)
const faultyMs = 90_000
const patienceMs = 3_000_000
const blockMs = 2_000

export type RunOptions = {
  readonly sabotage?: Sabotage
  /**
   * Blocks are undone that lie deeper than the operator's confirmations: then a refund may be paid
   * for money that vanishes, which is our loss. It must be in the books, to the unit.
   */
  readonly undoesConfirmed?: boolean
  /** When all has ended, a backup from before the last refunds is put in the ledger's place. */
  readonly restoresBackup?: boolean
  /** Somebody gives up refunds that are blocked, and takes them up again in the end. */
  readonly hasOperator?: boolean
}

/** One life of the whole system: faults for a while, then calm until everything has ended. */
export async function simulate(seed: number, options: RunOptions = {}): Promise<RunReport> {
  const run = createRun(seed, options)
  const { arena, witness } = run
  const calmAt = arena.world.now() + faultyMs
  const backup = await live(run, calmAt)
  if (options.restoresBackup === true && backup !== null) await liveAgain(run, backup)
  if (witness.violations.length === 0) {
    for (const violation of faultsOfEnd(arena, treasury)) witness.accuse(violation)
  }
  return {
    seed,
    violations: witness.violations,
    payments: arena.disk.payments.size,
    steps: arena.world.steps(),
    secondsToRest: Math.round((arena.world.now() - calmAt) / 1000),
    counts: run.counts,
    digest: run.hash.digest('hex'),
  }
}

/** Until all has ended; gives the backup that was made when all services, but no refunds, had. */
async function live(run: Run, calmAt: number): Promise<MemorySnapshot | null> {
  const { arena, witness } = run
  const { world } = arena
  let isCalm = false
  let backup: MemorySnapshot | null = null
  while (witness.violations.length === 0 && (await world.step())) {
    if (!isCalm && world.now() >= calmAt) {
      isCalm = true
      run.calmDown()
    }
    run.check()
    if (!isCalm || run.openClients() > 0) continue
    if (backup === null && areServicesOver(arena)) backup = arena.disk.snapshot()
    const left = unfinished(arena)
    if (left.length === 0) break
    if (world.now() - calmAt > patienceMs) {
      for (const what of left) witness.accuse(`never ended: ${what}`)
    }
  }
  return backup
}

/** The backup comes back after everything was paid: not a unit may leave once more. */
async function liveAgain(run: Run, backup: MemorySnapshot): Promise<void> {
  const { arena, witness } = run
  const paidOut = refundsOnChain(arena)
  run.restore(backup)
  arena.count('backups restored')
  const until = arena.world.now() + patienceMs
  while (witness.violations.length === 0 && unfinished(arena).length > 0) {
    await arena.world.step()
    if (arena.world.now() > until) {
      for (const what of unfinished(arena)) witness.accuse(`never ended again: ${what}`)
    }
  }
  for (const violation of faultsOfStep(arena, treasury)) witness.accuse(violation)
  if (refundsOnChain(arena) !== paidOut)
    witness.accuse('refunds left once more after a restored backup')
}

function refundsOnChain({ chain }: Arena): number {
  return chain.logs().filter(({ call }) => call.from === treasury).length
}

function areServicesOver({ disk }: Arena): boolean {
  const over = ['completed', 'failed', 'rejected', 'void']
  return [...disk.payments.values()].every(({ status }) => over.includes(status))
}

type Run = {
  readonly arena: Arena
  readonly witness: Witness
  readonly counts: ReadonlyMap<string, number>
  readonly hash: ReturnType<typeof createHash>
  openClients(): number
  calmDown(): void
  restore(backup: MemorySnapshot): void
  /** Looks at everything, if anything has changed. */
  check(): void
}

function createRun(seed: number, options: RunOptions): Run {
  const world = createWorld(seed)
  const { random } = world
  const payers = Array.from({ length: random.whole(2, 5) }, (_, index) => hexOf(0xabc0 + index, 20))
  const funds = new Map(payers.map((payer) => [payer, BigInt(random.whole(1, 12)) * 10_000n]))
  const chain = createChain(random.fork(), funds)
  const counts = new Map<string, number>()
  const drawn = drawFaults(random)
  let faults: Faults = drawn
  const arena: Arena = {
    world,
    chain,
    disk: createMemoryDisk(),
    faults: () => faults,
    sabotage: options.sabotage ?? null,
    deepestReorganisation:
      options.undoesConfirmed === true ? finalConfirmations - 1 : confirmations - 2,
    count: (what) => void counts.set(what, (counts.get(what) ?? 0) + 1),
  }
  const witness = createWitness(chain)
  const fleet = startFleet(arena, witness)
  const clients = startClients(arena, witness, { payers, replicas: fleet.up })
  runChain(arena)
  runToken(arena, payers)
  if (options.hasOperator === true) runOperator(arena)
  const hash = createHash('sha256')
  let seen = ''
  return {
    arena,
    witness,
    counts,
    hash,
    openClients: clients,
    check() {
      const state = stateOf(arena)
      if (state === seen) return
      seen = state
      hash.update(`${world.now()} ${state}\n`)
      for (const violation of faultsOfStep(arena, treasury)) witness.accuse(violation)
    },
    restore(backup) {
      fleet.stop()
      arena.disk.restore(backup)
      fleet.restart()
    },
    calmDown() {
      faults = noFaults
      fleet.restart()
      chain.setPaused(false)
      for (const payer of payers) chain.setBlocked(payer, false)
    },
  }
}

type Fleet = {
  readonly up: () => readonly Replica[]
  readonly stop: () => void
  /** Starts those that are down. */
  readonly restart: () => void
}

/** Two or three replicas that crash and come back, each time as somebody new. */
function startFleet(arena: Arena, witness: Witness): Fleet {
  const { world } = arena
  const { random } = world
  const refundMinimum = random.pick([1n, 1n, 4_000n, 15_000n])
  const slots: Replica[] = []
  let incarnation = 0
  const start = (slot: number): void => {
    incarnation += 1
    const skew = random.whole(-400, 400)
    const owner = `replica-${slot}-${incarnation}`
    slots[slot] = startReplica({ arena, witness, treasury, owner, skew, refundMinimum })
  }
  const kill = (slot: number): void => {
    const replica = slots[slot]
    if (replica === undefined || !replica.process.alive) return
    for (const { status } of arena.disk.payments.values()) arena.count(`killed while ${status}`)
    for (const { status } of arena.disk.transfers.values())
      arena.count(`killed while refund ${status}`)
    arena.count('kills')
    replica.kill()
    if (arena.sabotage === 'commits are not durable') arena.disk.restore(earlier)
    world.after(random.whole(100, 8_000), () => {
      if (slots[slot] === replica) start(slot)
    })
  }
  let earlier = arena.disk.snapshot()
  const size = random.whole(2, 3)
  for (let slot = 0; slot < size; slot += 1) start(slot)
  every(arena, 1_000, () => {
    for (let slot = 0; slot < size; slot += 1) if (random.chance(arena.faults().crash)) kill(slot)
    earlier = arena.disk.snapshot()
  })
  return {
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
  arena: Arena,
  witness: Witness,
  {
    payers,
    replicas,
  }: { readonly payers: readonly Hex[]; readonly replicas: () => readonly Replica[] },
): () => number {
  const { world } = arena
  let open = 0
  for (const address of payers) {
    const purchases = world.random.whole(1, 4)
    for (let purchase = 0; purchase < purchases; purchase += 1) {
      open += 1
      world.after(world.random.whole(0, faultyMs - 10_000), () => {
        void buy({ arena, witness, treasury, address, replicas }).finally(() => {
          open -= 1
        })
      })
    }
  }
  return () => open
}

/** A block every two seconds; with faults, some are undone and some transactions wait or vanish. */
function runChain(arena: Arena): void {
  const { world, chain, faults } = arena
  const { random } = world
  every(arena, blockMs, () => {
    const { mempool, reorganisation } = faults()
    if (random.chance(reorganisation)) {
      const depth = random.whole(1, arena.deepestReorganisation)
      arena.count('reorganisations')
      chain.reorganise({ depth, survival: 1 - mempool })
      // The other branch is longer, or it would not have won.
      for (let block = 0; block < depth; block += 1) mine(1 - mempool)
    }
    mine(1 - mempool)
  })
  const mine = (inclusion: number): void => {
    chain.mine({ timestamp: Math.floor(world.now() / 1000), inclusion })
  }
}

/** The token is paused for a while, a payee blocked, the treasury swept and filled again. */
function runToken(arena: Arena, payers: readonly Hex[]): void {
  const { world, chain, faults } = arena
  const { random } = world
  let sweeps = 0
  every(arena, 1_000, () => {
    if (!random.chance(faults().token)) return
    const [first = treasury, ...rest] = payers
    const payer = random.pick([first, ...rest])
    const seconds = random.whole(2_000, 40_000)
    const trouble = random.pick(['pause', 'block', 'sweep'] as const)
    arena.count(`token: ${trouble}`)
    switch (trouble) {
      case 'pause':
        chain.setPaused(true)
        world.after(seconds, () => chain.setPaused(false))
        break
      case 'block':
        chain.setBlocked(payer, true)
        world.after(seconds, () => chain.setBlocked(payer, false))
        break
      case 'sweep': {
        sweeps += 1
        const nonce: Hex = `${sweepPrefix}${sweeps.toString(16).padStart(56, '0')}`
        const value = chain.balance(treasury)
        const validBefore = Number.MAX_SAFE_INTEGER
        const out = {
          kind: 'transfer',
          from: treasury,
          to: cold,
          value,
          nonce,
          validBefore,
        } as const
        if (value > 0n) chain.broadcast([out])
        break
      }
    }
  })
  // Whatever lies elsewhere comes back, again and again, so that a sweep is never for good.
  every(arena, 15_000, () => {
    const value = chain.balance(cold)
    sweeps += 1
    const nonce: Hex = `${sweepPrefix}${sweeps.toString(16).padStart(56, '0')}`
    const validBefore = Number.MAX_SAFE_INTEGER
    const back = { kind: 'transfer', from: cold, to: treasury, value, nonce, validBefore } as const
    if (value > 0n) chain.broadcast([back])
  })
}

function every(arena: Arena, milliseconds: number, work: () => void): void {
  arena.world.after(milliseconds, () => {
    work()
    every(arena, milliseconds, work)
  })
}

/** What is durable and what is on the chain, short enough to be compared after each step. */
function stateOf({ disk, chain }: Arena): string {
  const payments = [...disk.payments.values()].map(
    ({ version, status, refund }) => `${version}${status}${refund?.status ?? ''}`,
  )
  const transfers = [...disk.transfers.values()].map(({ version, status }) => `${version}${status}`)
  return `${chain.head().hash} ${payments.join(' ')} ${transfers.join(' ')}`
}
