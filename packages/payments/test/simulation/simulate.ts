import { createHash } from 'node:crypto'
import { createMemoryDisk, type Hex } from '@farebox/ledger'
import type { Arena } from './arena.ts'
import { createChain, hexOf } from './chain.ts'
import { buy } from './client.ts'
import { drawFaults, type Faults, noFaults, type Sabotage } from './faults.ts'
import { cold, faultsOfEnd, faultsOfStep, sweepPrefix, unfinished } from './invariants.ts'
import { deepestReorganisation, type Replica, startReplica } from './replica.ts'
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

/** One life of the whole system: faults for a while, then calm until everything has ended. */
export async function simulate(seed: number, sabotage: Sabotage | null = null): Promise<RunReport> {
  const run = createRun(seed, sabotage)
  const { arena, witness, hash } = run
  const { world } = arena
  const calmAt = world.now() + faultyMs
  let isCalm = false
  let seen = ''
  while (witness.violations.length === 0 && (await world.step())) {
    if (!isCalm && world.now() >= calmAt) {
      isCalm = true
      run.calmDown()
    }
    const state = stateOf(arena)
    if (state !== seen) {
      seen = state
      hash.update(`${world.now()} ${state}\n`)
      for (const violation of faultsOfStep(arena, treasury)) witness.accuse(violation)
    }
    if (!isCalm || run.openClients() > 0) continue
    const left = unfinished(arena)
    if (left.length === 0) break
    if (world.now() - calmAt > patienceMs) {
      for (const what of left) witness.accuse(`never ended: ${what}`)
    }
  }
  if (witness.violations.length === 0) {
    for (const violation of faultsOfEnd(arena, treasury)) witness.accuse(violation)
  }
  return {
    seed,
    violations: witness.violations,
    payments: arena.disk.payments.size,
    steps: world.steps(),
    secondsToRest: Math.round((world.now() - calmAt) / 1000),
    counts: run.counts,
    digest: hash.digest('hex'),
  }
}

type Run = {
  readonly arena: Arena
  readonly witness: Witness
  readonly counts: ReadonlyMap<string, number>
  readonly hash: ReturnType<typeof createHash>
  openClients(): number
  calmDown(): void
}

function createRun(seed: number, sabotage: Sabotage | null): Run {
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
    sabotage,
    count: (what) => void counts.set(what, (counts.get(what) ?? 0) + 1),
  }
  const witness = createWitness(chain)
  const fleet = startFleet(arena, witness)
  const clients = startClients(arena, witness, { payers, replicas: fleet.up })
  runChain(arena)
  runToken(arena, payers)
  return {
    arena,
    witness,
    counts,
    hash: createHash('sha256'),
    openClients: clients,
    calmDown() {
      faults = noFaults
      fleet.restart()
      chain.setPaused(false)
      for (const payer of payers) chain.setBlocked(payer, false)
    },
  }
}

/** Two or three replicas that crash and come back, each time as somebody new. */
function startFleet(
  arena: Arena,
  witness: Witness,
): { readonly up: () => readonly Replica[]; readonly restart: () => void } {
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
    for (const { status } of arena.disk.payouts.values())
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
      const depth = random.whole(1, deepestReorganisation)
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
  const payouts = [...disk.payouts.values()].map(({ version, status }) => `${version}${status}`)
  return `${chain.head().hash} ${payments.join(' ')} ${payouts.join(' ')}`
}
