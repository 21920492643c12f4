import { setTimeout as sleep } from 'node:timers/promises'
import { healthSchema } from '@farebox/api'
import { chatOf } from '../support/buy.ts'
import { chatPath, post, type SignedHeaders, signPayment } from '../support/sign-payment.ts'
import type { RunningStage } from './running-stage.ts'

/** What one fault did, as a row of the table. */
export type FaultOutcome = {
  readonly part: string
  readonly fault: string
  readonly health: string
  /** The answer to a payment that was signed before, sent as the fault begins. */
  readonly first: string
  /** The answer to another, once the gateway has had time to notice. */
  readonly later: string
  /** Events of the log lines that are warnings or worse. */
  readonly logged: string
  /** The two payments, presented again after the fault. */
  readonly afterwards: string
  readonly recoveryMs: number
}

export type FaultCase = {
  readonly part: string
  readonly fault: string
  readonly start: () => Promise<void>
  readonly end: () => Promise<void>
  /** The payers of its payments. */
  readonly payers: readonly [number, number]
}

/** By then every dependency has answered or been given up, except for a provider that hangs. */
const firstMs = 30_000
const noticeMs = 8_000
const recoveryLimitMs = 90_000

/** Runs a gateway through one fault, and waits until it sells again. */
export async function runFault(
  stage: Pick<RunningStage, 'url' | 'account' | 'lines'>,
  { part, fault, start, end, payers }: FaultCase,
): Promise<FaultOutcome> {
  const logStart = stage.lines().length
  const buyers = await Promise.all(
    payers.map(async (payer) => {
      const body = chatOf(`${part} ${fault} ${payer}`)
      return { body, signed: await signPayment(stage, payer, { body }) }
    }),
  )
  const [one, two] = buyers
  if (one === undefined || two === undefined) throw new Error('no payers')
  await start()
  const answering = answerTo(stage, one)
  await Promise.race([answering, sleep(firstMs, undefined, { ref: false })])
  const health = await noticed(stage)
  const [first, later] = await Promise.all([answering, answerTo(stage, two)])
  await end()
  const healedAt = performance.now()
  await until(async () => (await healthOf(stage)) === 'ok')
  await until(async () => (await post(stage, chatPath, { body: one.body })).status === 402)
  const recoveryMs = performance.now() - healedAt
  const afterwards = [await decided(stage, one), await decided(stage, two)]
  const events = stage
    .lines()
    .slice(logStart)
    .filter(({ level }) => Number(level) >= 40)
    .map(({ event, name }) =>
      typeof name === 'string' ? `${String(event)} (${name})` : String(event),
    )
  return {
    part,
    fault,
    health,
    first,
    later,
    logged: [...new Set(events)].toSorted().join(', ') || '',
    afterwards: [...new Set(afterwards)].join(', '),
    recoveryMs,
  }
}

type Buyer = { readonly body: unknown; readonly signed: SignedHeaders }
type Stage = Pick<RunningStage, 'url'>

/** Status and code of the answer to a payment. */
async function answerTo(stage: Stage, { body, signed }: Buyer): Promise<string> {
  const response = await post(stage, chatPath, { body, headers: signed.v2 })
  const text = await response.text()
  if (response.status === 200) return '200'
  return `${response.status} ${codeIn(text)}`
}

function codeIn(text: string): string {
  const { error, message } = JSON.parse(text) as { error: unknown; message?: string }
  const code: unknown = typeof error === 'object' && error !== null ? Object(error).code : undefined
  return typeof code === 'string' ? code : (message ?? text).slice(0, 60)
}

/** Presents the payment again until it is decided. */
async function decided(stage: Stage, buyer: Buyer): Promise<string> {
  let answer = ''
  await until(async () => {
    answer = await answerTo(stage, buyer)
    return !answer.startsWith('503') || answer.includes('upstream')
  })
  return answer
}

async function healthOf({ url }: Stage): Promise<string> {
  const { status, issues = [] } = healthSchema.parse(await (await fetch(`${url}/v1/health`)).json())
  return [status, ...issues].join(' ')
}

/** What the health says once it says that something is wrong, if it ever does. */
async function noticed(stage: Stage): Promise<string> {
  const deadline = performance.now() + noticeMs
  let health = await healthOf(stage)
  // Refunds pause for a moment at the first failure of a node, before the node counts as down.
  while (/^(ok|degraded refunds_paused)$/.test(health) && performance.now() < deadline) {
    await sleep(100)
    health = await healthOf(stage)
  }
  return health
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + recoveryLimitMs
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error('the gateway did not recover in time')
    await sleep(50)
  }
}
