import { setTimeout as pause } from 'node:timers/promises'
import type { Dispatcher } from 'undici'

/** One request of a load, and the status that it must have. */
export type Call = {
  readonly path: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly status: number
}

/** What a client saw of one request, in milliseconds. */
export type Timing = {
  readonly firstByte: number
  readonly whole: number
  /** How long it waited for its settlement, from `Server-Timing`; 0 without one. */
  readonly settling: number
  /** How long it waited before that for the payer's balance. */
  readonly asking: number
}

export type Load = {
  readonly dispatcher: Dispatcher
  readonly origin: string
  readonly calls: readonly Call[]
  readonly atOnce: number
  /** For how many milliseconds a connection is idle before each call; 0 by default. */
  readonly idleMs?: number
}

/** Sends the calls, this many at once, and times each. Rejects if a status is unexpected. */
export async function runLoad({
  dispatcher,
  origin,
  calls,
  atOnce,
  idleMs = 0,
}: Load): Promise<readonly Timing[]> {
  const queue = calls.values()
  const timings: Timing[] = []
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const call of queue) {
        if (idleMs > 0) await pause(idleMs)
        timings.push(await send(dispatcher, origin, call))
      }
    }),
  )
  return timings
}

async function send(dispatcher: Dispatcher, origin: string, call: Call): Promise<Timing> {
  const { path, body, headers } = call
  const startedAt = performance.now()
  const response = await dispatcher.request({ origin, path, method: 'POST', body, headers })
  let firstByte: number | undefined
  const parts: Buffer[] = []
  for await (const part of response.body) {
    firstByte ??= performance.now() - startedAt
    parts.push(part)
  }
  const whole = performance.now() - startedAt
  if (response.statusCode !== call.status) {
    throw new Error(`${origin}${path}: ${response.statusCode} ${Buffer.concat(parts).toString()}`)
  }
  const timing = String(response.headers['server-timing'])
  const [settling, asking] = [phaseIn(timing, 'settle'), phaseIn(timing, 'payer')]
  return { firstByte: firstByte ?? whole, whole, settling, asking }
}

function phaseIn(timing: string, phase: string): number {
  return Number(new RegExp(`${phase};dur=([\\d.]+)`).exec(timing)?.[1] ?? 0)
}
