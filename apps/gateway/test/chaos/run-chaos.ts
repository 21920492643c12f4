import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Devnet, startDevnet } from '@farebox/devnet'
import { startSandbox } from '@farebox/devnet/sandbox'
import type { PaymentRecord } from '@farebox/ledger'
import { openLedger } from '@farebox/ledger/sql'
import { audit, paymentNetwork } from '@farebox/payments'
import { createChainReader, createChannelChain } from '@farebox/payments/chain'
import { cancelPayment } from '../support/cancel-payment.ts'
import { buyUntilDone, type Payment, type Purchase } from './buyer.ts'
import { channelFaults } from './channel-faults.ts'
import { type Replica, superviseReplica } from './replica.ts'
import {
  type ServedRequest,
  type Services,
  type UnpaidServices,
  unpaidServices,
} from './unpaid-services.ts'
import { startWaveringNode } from './wavering-node.ts'

export type SettleMode = 'first' | 'overlap' | 'preconfirmed'

export type ChaosOptions = {
  readonly replicas: number
  readonly kills: number
  readonly buyers: number
  /** How buyers pay; `exact` unless given. */
  readonly payment?: Payment
  /** When providers are called; `first` unless given. The others are for `exact`. */
  readonly settleMode?: SettleMode
  /** `sqlite:…` in a new folder unless given. */
  readonly databaseUrl?: string
  readonly random: () => number
  readonly progress?: (text: string) => void
}

export type ChaosFigures = {
  readonly kills: number
  readonly purchases: number
  readonly outcomes: Readonly<Record<string, number>>
  readonly payments: number
  readonly byStatus: Readonly<Record<string, number>>
  /** What the channel contract logged, by kind, apart from the deposits of payments. */
  readonly movements: Readonly<Record<string, number>>
  /** Payments that did not finish. */
  readonly unfinished: readonly string[]
  /** Requests that reached the provider more than once; with channels, whatever is wrong with them. */
  readonly doubled: readonly string[]
  /** Atomic units that payers miss beyond what their payments cost. */
  readonly lost: bigint
  readonly unexplained: readonly string[]
  /** Services for which no money came. */
  readonly unpaid: number
  /** What is wrong with services that began before their payment was proven. */
  readonly faults: readonly string[]
  /** How often a process reported an event of its payments. */
  readonly events: Readonly<Record<string, number>>
  readonly exitCodes: readonly (number | null)[]
}

/** Sells to many buyers while gateway processes are killed, and then counts everything. */
export async function runChaos(options: ChaosOptions): Promise<ChaosFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-chaos-'))
  const devnet = await startDevnet()
  const sandbox = await startSandbox()
  const { settleMode = 'first' } = options
  const node = settleMode === 'first' ? undefined : await startWaveringNode(devnet, options.random)
  const databaseUrl = options.databaseUrl ?? `sqlite:${join(folder, 'ledger.sqlite')}`
  const senders: string[] = []
  const events: PaymentLine[] = []
  const replicas = Array.from({ length: options.replicas }, (_, index) =>
    superviseReplica({
      environment: () => {
        senders[index] = randomUUID()
        return {
          ...environmentOf(devnet),
          ...(options.payment === 'channel' ? channelEnvironment : { CHANNELS: 'off' }),
          ...(node && { RPC_URL: node.rpcUrl }),
          SETTLE_MODE: settleMode,
          OVERLAP_CAP_USDC: '0.06',
          DATA_DIR: join(folder, String(index)),
          DATABASE_URL: databaseUrl,
          OPENAI_API_KEY: senders[index],
          OPENAI_BASE_URL: sandbox.chatBaseUrl,
        }
      },
      onLine: (line) => {
        if (line.includes('"paymentId"')) events.push(JSON.parse(line) as PaymentLine)
      },
    }),
  )
  try {
    const rpcUrl = node?.rpcUrl ?? devnet.rpcUrl
    const purchases = await sellWhileKilling(options, { devnet, rpcUrl, events }, replicas)
    await node?.calm()
    // Authorizations that were claimed and never sent end when they expire.
    await devnet.rpc('evm_increaseTime', [600])
    await devnet.mine(2)
    const unfinished = await settle(databaseUrl, devnet, options)
    const exitCodes = await Promise.all(replicas.map((replica) => replica.stop()))
    const served = sandbox.requests.flatMap(({ label, headers }) =>
      label === '' ? [] : [{ label, sender: String(headers['authorization']).slice(7) }],
    )
    return {
      kills: options.kills,
      purchases: purchases.length,
      outcomes: Object.fromEntries(countBy(purchases.map(({ outcome }) => outcome))),
      doubled: await doubledOf(options, { databaseUrl, devnet }, served),
      ...(await unpaidOf(options, databaseUrl, {
        purchases,
        served,
        reported: new Set(
          events.flatMap(({ event, paymentId }) =>
            event === 'service_ahead_lost' ? [paymentId] : [],
          ),
        ),
        survivors: new Set(senders),
        cap: 60_000n,
      })),
      events: Object.fromEntries(countBy(events.map(({ event }) => event))),
      exitCodes,
      unfinished,
      ...(await count(databaseUrl, devnet)),
    }
  } finally {
    await Promise.all(replicas.map((replica) => replica.stop().catch(() => null)))
    await node?.stop()
    await sandbox.stop()
    await devnet.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

type PaymentLine = { readonly event: string; readonly paymentId: string }

async function doubledOf(
  { payment }: ChaosOptions,
  books: { readonly databaseUrl: string; readonly devnet: Devnet },
  served: readonly ServedRequest[],
): Promise<readonly string[]> {
  // A call of a channel that failed costs nothing, and the same request may be served again.
  if (payment === 'channel') return await channelFaults({ ...books, requests: served.length })
  const times = countBy(served.map(({ label }) => label))
  return [...times].flatMap(([label, count]) => (count > 1 ? [`${label} × ${count}`] : []))
}

async function unpaidOf(
  { payment }: ChaosOptions,
  databaseUrl: string,
  services: Omit<Services, 'payments'>,
): Promise<UnpaidServices> {
  if (payment === 'channel') return { unpaid: 0, faults: [] }
  return unpaidServices({ ...services, payments: await paymentsOf(databaseUrl) })
}

/** Each call is charged so much that channels are claimed from after three calls each. */
const channelEnvironment = {
  CHANNELS: 'on',
  CHANNEL_MIN_CHARGE_USDC: '0.009',
  CHANNEL_MAX_UNCLAIMED_TOTAL_USDC: '0.3',
}

function environmentOf(devnet: Devnet): Readonly<Record<string, string>> {
  return {
    NETWORK: 'devnet',
    RPC_URL: devnet.rpcUrl,
    TREASURY_PRIVATE_KEY: devnet.treasury.privateKey,
    RELAYER_PRIVATE_KEY: devnet.relayer.privateKey,
    REFUND_MIN_USDC: '0.000001',
    RATE_LIMIT_PER_MINUTE: '1000000',
    RESUME_SECONDS: '3',
    LEASE_SECONDS: '4',
  }
}

type ChaosScene = {
  readonly devnet: Devnet
  readonly rpcUrl: string
  /** What the replicas reported so far. */
  readonly events: readonly PaymentLine[]
}

async function sellWhileKilling(
  { kills, buyers, random, progress, payment = 'exact', settleMode = 'first' }: ChaosOptions,
  { devnet, rpcUrl, events }: ChaosScene,
  replicas: readonly Replica[],
): Promise<readonly Purchase[]> {
  await Promise.all(replicas.map((replica) => replica.url()))
  const closing = new AbortController()
  const buying = devnet.payers.slice(0, buyers).map(({ privateKey }, index) =>
    buyUntilDone(`buyer${index}`, {
      privateKey,
      payment,
      rpcUrl,
      replicas,
      random,
      // A payer that cheated settles first for a while, so that only calls of honest ones overlap.
      cancel:
        settleMode === 'first' || index % 2 === 0
          ? undefined
          : (nonce) => cancelPayment(devnet, { privateKey }, nonce),
      done: closing.signal,
    }),
  )
  // A call that was cut off waits for the lease of its process to end, so that processes which live
  // shorter than that sell too little from channels for a claim.
  const isSlow = payment === 'channel' || settleMode !== 'first'
  const maxPauseMs = isSlow ? 3_600 / replicas.length : 1_200
  if (settleMode === 'preconfirmed') await reported(events, 'payment_preconfirmed')
  for (let kill = 1; kill <= kills; kill += 1) {
    const victim = replicas[Math.floor(random() * replicas.length)]
    await victim?.url()
    await new Promise((resolve) => setTimeout(resolve, random() * maxPauseMs))
    victim?.kill()
    if (kill % 25 === 0) progress?.(`${kill} kills`)
  }
  closing.abort()
  return (await Promise.all(buying)).flat()
}

/** On a slow machine every kill could come before anything was shown. */
async function reported(events: readonly PaymentLine[], name: string): Promise<void> {
  for (let wait = 0; wait < 600; wait += 1) {
    if (events.some(({ event }) => event === name)) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`no replica reported ${name} within a minute`)
}

const finalStatuses: ReadonlySet<string> = new Set(['completed', 'failed', 'rejected', 'void'])

function isFinal({ status, refund }: PaymentRecord): boolean {
  const isReturned = refund?.status === 'confirmed' || refund?.status === 'released'
  return finalStatuses.has(status) && (refund === null || isReturned)
}

// A refund whose transaction the node forgot is sent again after two minutes.
const roundsToSettle = 720

/** Waits until every payment is at its end, and names those that are not. */
async function settle(
  url: string,
  devnet: Devnet,
  { progress }: ChaosOptions,
): Promise<readonly string[]> {
  let open: readonly string[] = []
  for (let round = 0; round < roundsToSettle; round += 1) {
    open = (await paymentsOf(url))
      .filter((payment) => !isFinal(payment))
      .map(({ id, status, refund }) => `${id} ${status} ${refund?.status ?? ''}`)
    if (open.length === 0) return []
    if (round % 20 === 0)
      progress?.(`${open.length} payments are on their way: ${open.slice(0, 3).join('; ')}`)
    await devnet.mine(1)
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  return open
}

async function paymentsOf(url: string): Promise<readonly PaymentRecord[]> {
  const store = await openLedger({ url })
  try {
    const payments: PaymentRecord[] = []
    for await (const { payment } of store.exportPayments()) payments.push(payment)
    return payments
  } finally {
    await store.close()
  }
}

async function count(
  url: string,
  devnet: Devnet,
): Promise<Pick<ChaosFigures, 'payments' | 'byStatus' | 'movements' | 'lost' | 'unexplained'>> {
  const payments = await paymentsOf(url)
  const store = await openLedger({ url })
  const moved: string[] = []
  for await (const { movement } of store.exportMovements()) {
    moved.push(movement.lost ? `${movement.kind} lost` : movement.kind)
  }
  const report = await audit({
    store,
    chain: createChainReader({ rpcUrl: devnet.rpcUrl }),
    channels: {
      store,
      channelChain: createChannelChain({
        rpcUrl: devnet.rpcUrl,
        network: paymentNetwork('devnet'),
      }),
    },
    asset: devnet.usdc,
    treasury: devnet.treasury.address,
    fromBlock: 0,
  })
  await store.close()
  // Deposits pay for the calls of channels.
  const paid = payments.filter(({ kind }) => kind !== 'channel_call')
  const cost = paid.reduce((sum, payment) => sum + (payment.cost ?? 0n), 0n)
  const balances = await Promise.all(
    devnet.payers.map(({ address }) => devnet.usdcBalance(address)),
  )
  const spent =
    BigInt(devnet.payers.length) * 1_000_000_000n -
    balances.reduce((sum, balance) => sum + balance, 0n)
  return {
    payments: payments.length,
    byStatus: Object.fromEntries(
      countBy(payments.map(({ kind, status }) => (kind === 'sale' ? status : `${kind} ${status}`))),
    ),
    movements: Object.fromEntries(countBy(moved)),
    lost: spent - cost,
    unexplained: report.unexplained.map(
      ({ kind, amount, paymentId }) => `${kind} ${amount} ${paymentId}`,
    ),
  }
}

function countBy(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}
