import type { Hex, PaymentRecord } from '@farebox/ledger'
import { atomicUsdc } from '@farebox/money'
import type {
  Admission,
  AdmissionRequest,
  ChannelResponse,
  PaymentGate,
  PaymentPolicy,
  ResponseHeaders,
} from '@farebox/payments'
import { assemblePaywall, fixedRefundMinimum, sellByChannel } from '@farebox/payments/parts'
import type { CheckPayment } from '@farebox/payments/wire'
import { type ChannelRounds, createChannelRounds } from '../../src/channel-chain/channel-rounds.ts'
import { network } from '../support/pay.ts'
import type { ChannelChecker } from './channels/channel-checker.ts'
import {
  channelRules,
  simulatedAuthorizer,
  simulatedChannelChain,
  simulatedQueue,
} from './channels/channel-ports.ts'
import { simulatedGroups } from './groups.ts'
import { authorizationKey, type InvariantChecker } from './invariant-checker.ts'
import {
  simulatedFacilitator,
  simulatedReader,
  simulatedSender,
  simulatedSigner,
  simulatedStore,
} from './ports.ts'
import { createReleaseChecker, type ReleaseChecker, risks } from './release-checker.ts'
import { call, type Liveness, type SimContext } from './sim-context.ts'

/** What a client receives. */
export type ServeOutcome =
  | {
      readonly status: 'served'
      readonly payment: PaymentRecord
      readonly headers: ResponseHeaders
    }
  | { readonly status: 'failed'; readonly headers: ResponseHeaders }
  | { readonly status: Exclude<Admission['status'], 'settled'>; readonly admission: Admission }

export type ClientManner = 'stays' | 'leaves'

/** One process of the gateway: gate, recovery and refund worker, and the route that serves. */
export type Replica = {
  readonly process: Liveness
  /** A client that leaves disconnects before the service begins. */
  serve(request: AdmissionRequest, manner: ClientManner): Promise<ServeOutcome>
  /** Sends a request to the channel endpoint. */
  ask(request: AdmissionRequest): Promise<ChannelResponse | undefined>
  /** Kills the process. */
  kill(): void
}

export type ReplicaOptions = {
  readonly context: SimContext
  readonly checker: InvariantChecker
  readonly treasury: Hex
  readonly owner: string
  /** How many milliseconds its clock is ahead of the world's now. */
  readonly skew: () => number
  /** Sells from payment channels too if their calls are observed. */
  readonly channelChecker: ChannelChecker | undefined
  /** Smaller refunds are batched. */
  readonly refundMinimum: bigint
}

export const confirmations = 4
export const finalConfirmations = 7
export const abandonCharge = atomicUsdc(300n)

export function startReplica(options: ReplicaOptions): Replica {
  const { context, treasury, owner, skew } = options
  const { world } = context
  const process: Liveness = { alive: true }
  const common = {
    store: simulatedStore(context, process),
    chain: simulatedReader(context, process),
    refundMinimum: fixedRefundMinimum(atomicUsdc(options.refundMinimum)),
    network,
    owner,
    policy: policyOf(context),
    clock: () => world.now() + skew(),
    timers: {
      after: (milliseconds: number, callback: () => void) =>
        world.after(milliseconds, () => {
          if (process.alive) callback()
        }),
    },
    onEvent: (notice: { readonly type: string }) => {
      context.count(`notice ${notice.type}`)
    },
  }
  const channelRounds =
    options.channelChecker && startRounds({ ...common, context, process, treasury })
  const { gate, channelEndpoint, start } = assemblePaywall({
    ...common,
    facilitator: context.settlesInGroups
      ? simulatedGroups(context, process)
      : simulatedFacilitator(context, process),
    refunding: {
      sender: simulatedSender(context, process),
      signer: simulatedSigner(treasury, options.checker.onSigned),
    },
    payTo: treasury,
    randomBytes: (length) => world.random.bytes(length),
    checkPayment: checkTimes,
    channelRounds,
    ...(channelRounds && {
      channels: sellByChannel({
        policy: channelRules,
        obstacle: () => channelRounds.obstacle(),
        channelChain: simulatedChannelChain(context, process),
      }),
    }),
  })
  start()
  const { shown } = context
  const checkRelease = createReleaseChecker({ shown, report: options.checker.report })
  return {
    process,
    serve: (request, manner) => {
      return serve({ ...options, process, gate, manner, release: checkRelease() }, request)
    },
    ask: async (request) => await channelEndpoint?.answer(request),
    kill: () => {
      process.alive = false
    },
  }
}

/** The package's own rounds, with a simulated contract and relayer. */
function startRounds({
  context,
  process,
  treasury,
  ...common
}: Omit<Parameters<typeof createChannelRounds>[0], 'authorizer' | 'channelChain' | 'queue'> & {
  readonly context: SimContext
  readonly process: Liveness
}): ChannelRounds {
  const { plantedBug } = context
  const staysBooked = plantedBug === 'logs of undone blocks stay booked'
  return createChannelRounds({
    ...common,
    ...(staysBooked && { chain: { ...common.chain, confirmationsOf: async () => 1 } }),
    treasury,
    rules: channelRules,
    authorizer: simulatedAuthorizer(treasury),
    channelChain: simulatedChannelChain(context, process),
    queue: simulatedQueue(context, process),
  })
}

/** Times short enough for crashes, timeouts and expiries within one run. */
function policyOf({
  plantedBug,
  overlaps,
  releasesWithPreconfirmation,
}: SimContext): Partial<PaymentPolicy> {
  const isUnlimited = plantedBug === 'more is released than may be at risk'
  const times = isUnlimited ? 100n : 1n
  return {
    ...(overlaps && {
      maxRiskPerPayer: atomicUsdc(risks.perPayer * times),
      maxRiskTotal: atomicUsdc(risks.inAll * times),
    }),
    ...(releasesWithPreconfirmation && { releaseWith: 'preconfirmation' }),
    leaseMs: 10_000,
    backgroundLeaseMs: 15_000,
    settleTimeoutMs: 12_000,
    proofTimeoutMs: 4_000,
    voidMarginSeconds: 5,
    resumeMs: 15_000,
    recoveryPollMs: 3_000,
    rejectedPollMs: 20_000,
    pruneMs: 5_000,
    unpaidKeptMs: 30_000,
    abandonCharge,
    refundPollMs: 4_000,
    watchMs: 6_000,
    refundConfirmations: plantedBug === 'refunds do not wait for confirmations' ? 1 : confirmations,
    finalConfirmations,
    maxRefundDelayMs: 60_000,
    refundValiditySeconds: 1_200,
    resendMs: 12_000,
  }
}

/** Signatures are not checked here; only the time window is. */
const checkTimes: CheckPayment = async ({ payment, now }) =>
  payment.authorization.validBefore < now + 6
    ? { status: 'invalid', reason: 'invalid_exact_evm_payload_authorization_valid_before' }
    : { status: 'valid', payment }

type Route = Pick<ReplicaOptions, 'context' | 'checker' | 'channelChecker'> & {
  readonly process: Liveness
  readonly gate: PaymentGate
  readonly manner: ClientManner
  readonly release: ReleaseChecker
}

/** The paid route, as an application writes it. */
async function serve(route: Route, request: AdmissionRequest): Promise<ServeOutcome> {
  const { context, process, gate, checker, manner, release } = route
  const { random } = context.world
  const isWanted = context.beginsWithProof ? () => manner === 'stays' : undefined
  const overlapping: Promise<void>[] = []
  let started: PaymentRecord | undefined
  const startOverlapping = (payment: PaymentRecord): void => {
    context.count('upstream called before the proof')
    overlapping.push(
      call(context, process, () => checker.onUpstreamCall(payment, 'before its proof')),
    )
    started = payment
    release.onStart(payment)
  }
  const onPreconfirmed = (): void => {
    context.count('released with a preconfirmation')
    if (started === undefined) checker.report('bytes left of a service that had not started')
    else release.onRelease(started)
  }
  const admission = await gate.admit({ ...request, isWanted, startOverlapping, onPreconfirmed })
  if (admission.status === 'settled') release.onAdmitted(admission.payment)
  else release.onLost()
  if (admission.status !== 'settled' && overlapping.length > 0)
    context.count('lost an overlapping call')
  if (admission.status !== 'settled') return { status: admission.status, admission }
  const leaves = random.chance(context.faults().client / 4) || manner === 'leaves'
  const isCall = admission.payment.kind === 'channel_call'
  if (leaves && (isCall || admission.payment.status === 'settled')) {
    await gate.abandon(admission.payment, 'client_left')
    return { status: 'failed', headers: {} }
  }
  const begun = await gate.begin(admission.payment)
  if (begun.status !== 'begun') return { status: 'failed', headers: {} }
  const { payment } = begun
  const fails = random.chance(context.faults().upstream)
  if (overlapping.length > 0) await overlapping[0]
  else if (isCall) await serveCall(route, payment, request)
  else await call(context, process, () => checker.onUpstreamCall(payment, 'after its proof'))
  if (fails && random.chance(0.5)) {
    const { headers } = await gate.fail(payment, { reason: 'upstream_failed', answer: null })
    return { status: 'failed', headers: { ...admission.headers, ...headers } }
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
  const ended = await gate.complete(payment, outcome)
  // The headers of a stream have left before its end.
  const isStream = isCall && random.chance(0.5)
  const headers = isStream ? admission.headers : { ...admission.headers, ...ended.headers }
  return ended.payment.status === 'completed'
    ? { status: 'served', payment: ended.payment, headers }
    : { status: 'failed', headers }
}

/** Some calls last longer than a round on the chain. */
async function serveCall(
  { context, process, checker, channelChecker }: Route,
  payment: PaymentRecord,
  request: AdmissionRequest,
): Promise<void> {
  await call(context, process, () => {
    checker.onChannelCall(payment)
    channelChecker?.onCall(payment, request)
  })
  const { random } = context.world
  if (!random.chance(0.3)) return
  await context.world.pause(random.whole(1_000, 12_000))
  if (!process.alive) await new Promise<never>(() => undefined)
}
