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
  createChainReader,
  createInProcessFacilitator,
  createPaymentGate,
  createRecovery,
  createRefundSender,
  createRefundSigner,
  createRefundWorker,
  createTransactionQueue,
  type Facilitator,
  fixedRefundMinimum,
  type PaymentGateOptions,
  type PaymentNotice,
  type RecoveryOptions,
  type RefundWorkerOptions,
  type TransactionQueue,
} from '@farebox/payments'
import {
  contextFor,
  encode,
  network,
  resource,
  signAuthorization,
  usdc,
  wirePayload,
} from './pay.ts'

export type ShopOptions = {
  readonly devnet: Devnet
  readonly store?: LedgerStore
  readonly facilitator?: Facilitator
  readonly owner?: string
  /** The relayer's, when several shops share it. */
  readonly queue?: TransactionQueue
  /** Address of a node with faults, for the gate, recovery and the worker alike. */
  readonly rpcUrl?: string
  readonly gate?: Partial<PaymentGateOptions>
  readonly refunds?: Partial<RefundWorkerOptions>
  readonly recovery?: Partial<RecoveryOptions>
}

/** A whole shop on a devnet: gate, refund worker and recovery, driven by hand, with its own clock. */
export function openShop(options: ShopOptions) {
  const { devnet, store = createMemoryStore(), owner = 'replica-1' } = options
  const time = { offset: 0 }
  const clock = (): number => Date.now() + time.offset
  const rpcUrl = options.rpcUrl ?? devnet.rpcUrl
  const notices: PaymentNotice[] = []
  const onEvent = (notice: PaymentNotice): void => {
    notices.push(notice)
  }
  const queue =
    options.queue ??
    createTransactionQueue({
      rpcUrl: devnet.rpcUrl,
      network,
      privateKey: devnet.relayer.privateKey,
      pollMs: 20,
    })
  const chain = createChainReader({ rpcUrl })
  const facilitator =
    options.facilitator ??
    createInProcessFacilitator({
      rpcUrl: devnet.rpcUrl,
      network,
      queue,
      confirmationTimeoutMs: 5_000,
    })
  const signer = createRefundSigner({ privateKey: devnet.treasury.privateKey, network })
  const refundMinimum = fixedRefundMinimum(usdc(1n))
  const shared = { store, chain, facilitator, refundMinimum, clock, owner, onEvent }
  const gateOptions: PaymentGateOptions = {
    ...shared,
    network,
    payTo: devnet.treasury.address,
    ownAccounts: [devnet.relayer.address],
    randomBytes,
    proofTimeoutMs: 300,
    settleTimeoutMs: 10_000,
    voidMarginSeconds: 5,
    ...options.gate,
  }
  const gate = createPaymentGate(gateOptions)
  const sender = createRefundSender({ rpcUrl: devnet.rpcUrl, network, queue })
  const workerOptions: RefundWorkerOptions = {
    ...shared,
    sender,
    signer,
    confirmations: 1,
    finalConfirmations: 3,
    pollSeconds: 0.001,
    watchSeconds: 0.001,
    ...options.refunds,
  }
  const refunds = createRefundWorker(workerOptions)
  const recoveryOptions: RecoveryOptions = {
    ...shared,
    finalConfirmations: 3,
    voidMarginSeconds: 5,
    watchSeconds: 0.001,
    ...options.recovery,
  }
  const recovery = createRecovery(recoveryOptions)
  return {
    devnet,
    store,
    chain,
    gate,
    refunds,
    recovery,
    facilitator,
    queue,
    notices,
    clock,
    /** Moves our clock, not the chain's. */
    passSeconds(seconds: number) {
      time.offset += seconds * 1000
    },
    close() {
      gate.close()
      queue.close()
    },
  }
}

export type Shop = ReturnType<typeof openShop>

export const price = 10_000n

/** Where the treasury's owner moves what it earned. */
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

/** The payment headers of a fresh authorisation, in both protocols. */
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

/** The payment of a settled admission; fails loudly for every other. */
export function admitted(admission: Admission): PaymentRecord {
  if (admission.status !== 'settled') {
    throw new Error(`expected a settled payment, got ${JSON.stringify(admission, bigints)}`)
  }
  return admission.payment
}

/** Admits and begins one service. */
export async function serve(shop: Shop, payer: DevnetAccount): Promise<PaymentRecord> {
  const { v2 } = await payHeaders(shop.devnet, payer)
  const begun = await shop.gate.begin(admitted(await shop.gate.admit(requestFor(v2))))
  if (begun.status !== 'begun') throw new Error('expected to begin')
  return begun.payment
}

/** A served payment of the standard price that cost so much. */
export async function sell(shop: Shop, payer: DevnetAccount, cost: bigint): Promise<PaymentRecord> {
  const payment = await serve(shop, payer)
  return await shop.gate.complete(payment, { cost: usdc(cost), usage: null, answer: null })
}

/** Runs the refund worker until each refund is confirmed, blocked or written off. */
export async function runRefunds(shop: Shop): Promise<void> {
  await until(async () => {
    await shop.refunds.runOnce()
    return !(await hasRefunds(shop, ['waiting', 'signed', 'submitted']))
  })
}

/** Runs the refund worker and mines until no reorganisation can undo what was sent. */
export async function finishRefunds(shop: Shop): Promise<void> {
  await until(async () => {
    await shop.devnet.mine(1)
    await shop.refunds.runOnce()
    return !(await hasRefunds(shop, ['waiting', 'signed', 'submitted', 'confirmed']))
  })
}

async function hasRefunds(
  shop: Shop,
  statuses: readonly RefundTransfer['status'][],
): Promise<boolean> {
  for await (const { status } of shop.store.exportRefunds()) {
    if (statuses.includes(status)) return true
  }
  return false
}

export async function reload(shop: Shop, payment: PaymentRecord): Promise<PaymentRecord> {
  const loaded = await shop.store.load(payment.id)
  if (loaded === undefined) throw new Error(`${payment.id} is gone`)
  return loaded
}

function bigints(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value
}

/** Asks again until it is so; the test's own time limit ends it. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20))
}

/** Compares the chain with the ledger; whatever is unexplained fails the test that asks. */
export async function auditShop(shop: Shop): Promise<AuditReport> {
  const { store, chain, devnet } = shop
  const treasury = devnet.treasury.address
  const options = { store, chain, asset: network.usdc, treasury, ownAccounts: [coldWallet] }
  return await audit({ ...options, fromBlock: 0 })
}
