import type { Hex, PaymentRecord } from '@farebox/ledger'
import { atomicUsdc } from '@farebox/money'
import type { Admission, AdmissionRequest, PaymentGate, PaymentPolicy } from '@farebox/payments'
import { assemblePaywall, fixedRefundMinimum } from '@farebox/payments/parts'
import type { CheckPayment } from '@farebox/payments/wire'
import { network } from '../support/pay.ts'
import { type Arena, call, type Liveness } from './arena.ts'
import {
  simulatedFacilitator,
  simulatedReader,
  simulatedSender,
  simulatedSigner,
  simulatedStore,
} from './ports.ts'
import { authorizationKey, type Witness } from './witness.ts'

/** What a client hears. */
export type Answer =
  | { readonly status: 'served'; readonly payment: PaymentRecord }
  | { readonly status: 'failed' }
  | { readonly status: Exclude<Admission['status'], 'settled'>; readonly admission: Admission }

/** One process of the gateway: gate, recovery and refund worker, and the route that serves. */
export type Replica = {
  readonly process: Liveness
  serve(request: AdmissionRequest): Promise<Answer>
  /** Ends it without notice. */
  kill(): void
}

export type ReplicaOptions = {
  readonly arena: Arena
  readonly witness: Witness
  readonly treasury: Hex
  readonly owner: string
  /** Its clock differs from the world's by so many milliseconds. */
  readonly skew: number
  /** Smaller refunds add up. */
  readonly refundMinimum: bigint
}

export const confirmations = 4
export const finalConfirmations = 7

export function startReplica(options: ReplicaOptions): Replica {
  const { arena, treasury, owner, skew, witness } = options
  const { world } = arena
  const process: Liveness = { alive: true }
  const { gate, start } = assemblePaywall({
    store: simulatedStore(arena, process),
    chain: simulatedReader(arena, process),
    facilitator: simulatedFacilitator(arena, process),
    refunding: {
      sender: simulatedSender(arena, process),
      signer: simulatedSigner(treasury, witness.onSigned),
    },
    refundMinimum: fixedRefundMinimum(atomicUsdc(options.refundMinimum)),
    network,
    payTo: treasury,
    owner,
    policy: policyOf(arena),
    clock: () => world.now() + skew,
    randomBytes: (length) => world.random.bytes(length),
    checkPayment: checkTimes,
    timers: {
      after: (milliseconds: number, callback: () => void) =>
        world.after(milliseconds, () => {
          if (process.alive) callback()
        }),
    },
    onEvent: (notice: { readonly type: string }) => {
      arena.count(`notice ${notice.type}`)
    },
  })
  start()
  return {
    process,
    serve: (request) => serve({ arena, process, gate, witness }, request),
    kill: () => {
      process.alive = false
    },
  }
}

/** Times that let crashes, time-outs and expiries happen within a short run. */
function policyOf({ sabotage }: Arena): Partial<PaymentPolicy> {
  return {
    leaseMs: 10_000,
    backgroundLeaseMs: 15_000,
    settleTimeoutMs: 12_000,
    proofTimeoutMs: 4_000,
    voidMarginSeconds: 5,
    resumeMs: 15_000,
    recoveryPollMs: 3_000,
    refundPollMs: 4_000,
    watchMs: 6_000,
    refundConfirmations: sabotage === 'refunds do not wait for depth' ? 1 : confirmations,
    finalConfirmations,
    maxRefundDelayMs: 60_000,
    refundValiditySeconds: 1_200,
    resendMs: 12_000,
  }
}

/** Signatures are taken for good here; what is left of the check is its time window. */
const checkTimes: CheckPayment = async ({ payment, now }) =>
  payment.authorization.validBefore < now + 6
    ? { status: 'invalid', reason: 'invalid_exact_evm_payload_authorization_valid_before' }
    : { status: 'valid', payment }

type Route = {
  readonly arena: Arena
  readonly process: Liveness
  readonly gate: PaymentGate
  readonly witness: Witness
}

/** The paid route, as an application writes it. */
async function serve(route: Route, request: AdmissionRequest): Promise<Answer> {
  const { arena, process, gate, witness } = route
  const { random } = arena.world
  const admission = await gate.admit(request)
  if (admission.status !== 'settled') return { status: admission.status, admission }
  if (random.chance(arena.faults().client / 4)) {
    await gate.abandon(admission.payment)
    return { status: 'failed' }
  }
  const begun = await gate.begin(admission.payment)
  if (begun.status !== 'begun') return { status: 'failed' }
  const { payment } = begun
  const fails = random.chance(arena.faults().upstream)
  await call(arena, process, () => witness.onUpstreamCall(payment))
  if (fails && random.chance(0.5)) {
    await gate.fail(payment, { reason: 'upstream_failed', answer: null })
    return { status: 'failed' }
  }
  const paid = Number(payment.authorization.value)
  const cost = random.chance(0.1) ? paid : random.whole(0, paid)
  const answer = {
    statusCode: 200,
    contentType: 'application/json',
    body: new TextEncoder().encode(authorizationKey(payment.authorization)),
    expiresAt: 0,
  }
  const outcome = { cost: atomicUsdc(BigInt(cost)), usage: null, answer: fails ? null : answer }
  const completed = await gate.complete(payment, outcome)
  return completed.status === 'completed'
    ? { status: 'served', payment: completed }
    : { status: 'failed' }
}
