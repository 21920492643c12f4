import type { Hex } from '@farebox/ledger'
import { ChainError, type Facilitator, type SettleOutcome } from '@farebox/payments/chain'
import {
  createSettlementGroups,
  type MemberProbe,
  type SettlementGroupPorts,
  type ShownGroup,
} from '@farebox/payments/parts'
import type { SignedPayment } from '@farebox/payments/wire'
import type { CallFault, TokenCall } from './chain.ts'
import { collector } from './channels/channel-contract.ts'
import { authorizationKey } from './invariant-checker.ts'
import { rejection, simulatedFacilitator } from './ports.ts'
import { call, type Liveness, type SimContext } from './sim-context.ts'

/**
 * Settles in groups, with the package's own grouping: the node and the relayer fail, payers change
 * their minds between probe and block, and one of a group may use up the gas of those after it.
 */
export function simulatedGroups(context: SimContext, process: Liveness): Facilitator {
  const { world } = context
  const groups = createSettlementGroups({
    probe: (payments) => probe(context, process, payments),
    send: (payments) => send(context, process, payments),
    mined: (transaction, payments) => mined(context, process, { transaction, payments }),
    clock: world.now,
    groupSize: 8,
    ...(context.releasesWithPreconfirmation && {
      watch: (transaction, payments, onShown) =>
        watch(context, process, { transaction, payments, onShown }),
    }),
    timers: {
      after: (milliseconds, callback) =>
        world.after(milliseconds, () => {
          if (process.alive) callback()
        }),
    },
  })
  const alone = simulatedFacilitator(context, process)
  return {
    name: 'simulated groups',
    async settle(payment, signal, onShown) {
      if (payment.authorization.to === collector) return await alone.settle(payment, signal)
      const settling = groups.settle(payment)
      if (onShown !== undefined) void settling.shown.then(onShown)
      const late = new Promise<SettleOutcome>((resolve) => {
        signal.addEventListener('abort', () => {
          settling.withdraw()
          const transaction = settling.transaction()
          resolve({ status: 'unknown', reason: 'deadline', transaction })
        })
      })
      const outcome = await Promise.race([settling.outcome, late])
      return outcome === 'has_code' ? await alone.settle(payment, signal) : outcome
    },
  }
}

function transferOf({ authorization }: SignedPayment): TokenCall {
  return { kind: 'transfer', ...authorization }
}

function probe(
  context: SimContext,
  process: Liveness,
  payments: readonly SignedPayment[],
): Promise<readonly MemberProbe[]> {
  const { world, chain } = context
  const { random } = world
  const isSilent = random.chance(context.faults().node)
  return call(context, process, () => {
    if (isSilent) throw new ChainError('a group')
    return payments.map((payment): MemberProbe => {
      if (random.chance(context.faults().client / 20)) return { status: 'has_code' }
      const fault = chain.fault(transferOf(payment), Math.floor(world.now() / 1000))
      return fault === null ? { status: 'passes' } : { status: 'fails', reason: reasonOf(fault) }
    })
  })
}

function reasonOf(fault: CallFault): string {
  const outcome = rejection(fault)
  return outcome.status === 'settled' ? fault : outcome.reason
}

function send(
  context: SimContext,
  process: Liveness,
  payments: readonly SignedPayment[],
): ReturnType<SettlementGroupPorts['send']> {
  const { chain, world } = context
  const { random } = world
  const fails = random.chance(context.faults().facilitator)
  const isSent = !fails || random.chance(0.5)
  return call(context, process, () => {
    if (payments.length > 1 && random.chance(context.faults().facilitator)) {
      context.count('group refused')
      return { status: 'reverts', message: 'No block has room' } as const
    }
    if (fails) context.count('sending a group failed')
    if (!isSent) return { status: 'unavailable', reason: 'rpc_down' } as const
    const { hash: transaction } = chain.broadcast(survivors(context, payments).map(transferOf))
    return fails
      ? ({ status: 'unknown', transaction, reason: 'no_answer' } as const)
      : ({ status: 'sent', transaction } as const)
  })
}

/** Those before a payer that uses up the gas of all after it. */
function survivors(
  context: SimContext,
  payments: readonly SignedPayment[],
): readonly SignedPayment[] {
  const { random } = context.world
  if (!random.chance(context.faults().client / 4)) return payments
  context.count('group lost its gas')
  return payments.slice(0, random.whole(0, payments.length - 1))
}

/** A node that shows what is pending, and at times something else, or a block that it is late with. */
function watch(
  context: SimContext,
  process: Liveness,
  group: {
    readonly transaction: Hex
    readonly payments: readonly SignedPayment[]
    readonly onShown: (group: ShownGroup) => void
  },
): () => void {
  const { world, chain } = context
  const { random } = world
  const { transaction, payments, onShown } = group
  let isWatched = true
  world.after(random.whole(50, 1_500), () => {
    if (!isWatched || !process.alive || random.chance(context.faults().node)) return
    const calls = chain.waitingCalls(transaction)
    const isShown = ({ authorization: { from, nonce } }: SignedPayment): boolean =>
      calls.some((made) => made.kind === 'transfer' && made.from === from && made.nonce === nonce)
    const lies = random.chance(context.faults().lie)
    const transferred = lies ? payments : payments.filter(isShown)
    for (const { authorization } of transferred) context.shown.add(authorizationKey(authorization))
    const behind = random.chance(context.faults().lag) ? random.whole(1, 20) : 0
    const block = chain.head().number + 1 - behind
    onShown({ transaction, block, transferred: new Set(transferred) })
    if (!random.chance(context.faults().mempool)) return
    context.count('preconfirmation revoked')
    chain.drop(transaction)
  })
  return () => {
    isWatched = false
  }
}

async function mined(
  context: SimContext,
  process: Liveness,
  group: { readonly transaction: Hex; readonly payments: readonly SignedPayment[] },
): ReturnType<SettlementGroupPorts['mined']> {
  const { transaction, payments } = group
  for (let polls = 0; polls < 60; polls += 1) {
    await context.world.pause(1_000)
    if (!process.alive) return await new Promise<never>(() => undefined)
    if (!isMined(context, transaction)) continue
    const transferred = payments.filter(({ authorization: { from, nonce } }) => {
      return context.chain.use(from, nonce)?.proof.transaction === transaction
    })
    if (transferred.length > 1) context.count('group settled')
    return { transaction, transferred: new Set(transferred) }
  }
  return undefined
}

function isMined({ chain }: SimContext, transaction: Hex): boolean {
  for (let number = chain.head().number; number > 0; number -= 1) {
    if (chain.block(number)?.transactions.some(({ hash }) => hash === transaction)) return true
  }
  return false
}
