import { randomBytes } from 'node:crypto'
import type { Devnet, DevnetAccount } from '@farebox/devnet'
import {
  createMemoryStore,
  type LedgerStore,
  type PaymentRecord,
  type RefundTransfer,
} from '@farebox/ledger'
import {
  type Admission,
  type AdmissionRequest,
  type AuditReport,
  audit,
  type PaymentNotice,
  type PaymentPolicy,
} from '@farebox/payments'
import {
  createChainReader,
  createChannelChain,
  createInProcessFacilitator,
  createRefundSender,
  createRefundSigner,
  createTransactionQueue,
  type Facilitator,
  type TransactionQueue,
} from '@farebox/payments/chain'
import { assemblePaywall, fixedRefundMinimum, type PaywallParts } from '@farebox/payments/parts'
import {
  contextFor,
  encode,
  network,
  resource,
  signAuthorization,
  usdc,
  wirePayload,
} from './pay.ts'

export type TestPaywallOptions = {
  readonly devnet: Devnet
  readonly store?: LedgerStore
  readonly facilitator?: Facilitator
  readonly checkPayment?: PaywallParts['checkPayment']
  readonly owner?: string
  /** The relayer's, when several paywalls share it. */
  readonly queue?: TransactionQueue
  /** Address of a node with faults, for the gate, recovery and the worker alike. */
  readonly rpcUrl?: string
  readonly refundMinimum?: bigint
  readonly policy?: Partial<PaymentPolicy>
  readonly timers?: PaywallParts['timers']
  readonly onEvent?: PaywallParts['onEvent']
  readonly channels?: PaywallParts['channels']
  readonly payerLimits?: PaywallParts['payerLimits']
}

/** Confirmations and pauses that a devnet reaches at once; a deadline that it keeps. */
const testPolicy: Partial<PaymentPolicy> = {
  proofTimeoutMs: 300,
  settleTimeoutMs: 10_000,
  voidMarginSeconds: 5,
  refundConfirmations: 1,
  finalConfirmations: 3,
  refundPollMs: 1,
  rejectedPollMs: 10_000,
  watchMs: 1,
  blockMs: 0,
}

/** A paywall on a devnet whose workers run when the test calls them, with its own clock. */
export function openTestPaywall(options: TestPaywallOptions) {
  const { devnet, store = createMemoryStore(), owner = 'replica-1', timers } = options
  const { rpcUrl } = devnet
  const time: { offset: number; stoppedAt?: number } = { offset: 0 }
  const clock = (): number => (time.stoppedAt ?? Date.now()) + time.offset
  const notices: PaymentNotice[] = []
  const queue =
    options.queue ??
    createTransactionQueue({
      rpcUrl,
      network,
      key: devnet.relayer.privateKey,
      pollMs: 20,
    })
  const chain = createChainReader({ rpcUrl: options.rpcUrl ?? rpcUrl })
  const facilitator =
    options.facilitator ??
    createInProcessFacilitator({ rpcUrl, network, queue, confirmationTimeoutMs: 5_000 })
  const { treasuryMonitor, ...paywall } = assemblePaywall({
    store,
    chain,
    facilitator,
    network,
    clock,
    owner,
    randomBytes,
    payTo: devnet.treasury.address,
    relayer: devnet.relayer.address,
    refundMinimum: fixedRefundMinimum(usdc(options.refundMinimum ?? 1n)),
    policy: { ...testPolicy, ...options.policy },
    onEvent: options.onEvent ?? ((notice) => notices.push(notice)),
    ...(timers && { timers }),
    ...(options.checkPayment && { checkPayment: options.checkPayment }),
    ...(options.channels && { channels: options.channels }),
    payerLimits: options.payerLimits,
    refunding: {
      signer: createRefundSigner({ key: devnet.treasury.privateKey, network }),
      sender: createRefundSender({ rpcUrl, network, queue }),
    },
    monitoring: { ownAccounts: [coldWallet] },
  })
  return {
    ...paywall,
    refunds: paywall.refunds!,
    treasuryMonitor: treasuryMonitor!,
    devnet,
    store,
    chain,
    facilitator,
    queue,
    notices,
    clock,
    /** From now on, only `passSeconds` moves the paywall's clock. */
    stopClock() {
      time.stoppedAt = Date.now()
    },
    /** Moves the paywall's clock, not the chain's. */
    passSeconds(seconds: number) {
      time.offset += seconds * 1000
    },
    close() {
      paywall.gate.close()
      queue.close()
    },
  }
}

export type TestPaywall = ReturnType<typeof openTestPaywall>

export const price = 10_000n

/** The account to which the treasury's owner moves what it earned. */
export const coldWallet = `0x${'1'.repeat(40)}` as const

export function requestFor(
  headers: AdmissionRequest['headers'],
  changes: Partial<AdmissionRequest> = {},
): AdmissionRequest {
  return {
    headers,
    resource,
    offers: [{ amount: usdc(price), model: 'sandbox/echo', priceVersion: 'v1' }],
    requestDigest: 'a'.repeat(64),
    challenge: { quote: { model: 'sandbox/echo' } },
    ...changes,
  }
}

/** The payment headers of a fresh authorization, in both protocols. */
export async function payHeaders(
  devnet: Devnet,
  signer: DevnetAccount,
  signing: Partial<Parameters<typeof signAuthorization>[0]> = {},
) {
  const to = devnet.treasury.address
  const signed = await signAuthorization({ signer, to, value: price, ...signing })
  const { v1, v2 } = wirePayload(signed, contextFor(to, signing.value ?? price))
  return {
    signed,
    payload: v2,
    v1: { 'x-payment': encode(v1) },
    v2: { 'payment-signature': encode(v2) },
  }
}

/** The payment of a settled admission; throws for every other. */
export function admitted(admission: Admission): PaymentRecord {
  if (admission.status !== 'settled') {
    throw new Error(`expected a settled payment, got ${JSON.stringify(admission, bigints)}`)
  }
  return admission.payment
}

/** Admits and begins one service. */
export async function serve(paywall: TestPaywall, payer: DevnetAccount): Promise<PaymentRecord> {
  const { v2 } = await payHeaders(paywall.devnet, payer)
  const begun = await paywall.gate.begin(admitted(await paywall.gate.admit(requestFor(v2))))
  if (begun.status !== 'begun') throw new Error('expected to begin')
  return begun.payment
}

/** A served payment of the standard price with this cost. */
export async function sell(
  paywall: TestPaywall,
  payer: DevnetAccount,
  cost: bigint,
): Promise<PaymentRecord> {
  const payment = await serve(paywall, payer)
  const outcome = { cost: usdc(cost), usage: null, answer: null }
  return (await paywall.gate.complete(payment, outcome)).payment
}

/** Runs the refund worker until each refund is confirmed, blocked or written off. */
export async function runRefunds(paywall: TestPaywall): Promise<void> {
  await until(async () => {
    await paywall.refunds.runOnce()
    return !(await hasRefunds(paywall, ['waiting', 'signed', 'submitted']))
  })
}

/** Runs the refund worker and mines until no reorganization can undo what was sent. */
export async function finishRefunds(paywall: TestPaywall): Promise<void> {
  await until(async () => {
    await paywall.devnet.mine(1)
    await paywall.refunds.runOnce()
    return !(await hasRefunds(paywall, ['waiting', 'signed', 'submitted', 'confirmed']))
  })
}

async function hasRefunds(
  paywall: TestPaywall,
  statuses: readonly RefundTransfer['status'][],
): Promise<boolean> {
  for await (const { status } of paywall.store.exportRefunds()) {
    if (statuses.includes(status)) return true
  }
  return false
}

export async function reload(paywall: TestPaywall, payment: PaymentRecord): Promise<PaymentRecord> {
  const loaded = await paywall.store.load(payment.id)
  if (loaded === undefined) throw new Error(`${payment.id} is gone`)
  return loaded
}

function bigints(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value
}

/** Repeats until the condition holds; the time limit of the test ends it. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20))
}

/** Compares the chain with the ledger. */
export async function auditTestPaywall(paywall: TestPaywall): Promise<AuditReport> {
  const { store, chain, devnet } = paywall
  const treasury = devnet.treasury.address
  const channelChain = createChannelChain({ rpcUrl: devnet.rpcUrl, network })
  const channels = { store, channelChain }
  const options = {
    store,
    chain,
    channels,
    asset: network.usdc,
    treasury,
    ownAccounts: [coldWallet],
  }
  return await audit({ ...options, fromBlock: 0 })
}
