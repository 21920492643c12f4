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
  /** For how long it waited for its settlement, as `Server-Timing` says; 0 without one. */
  readonly settling: number
}

export type Load = {
  readonly dispatcher: Dispatcher
  readonly origin: string
  readonly calls: readonly Call[]
  readonly atOnce: number
}

/** Sends the calls, so many at once, and times each of them. Rejects at an unexpected status. */
export async function runLoad({
  dispatcher,
  origin,
  calls,
  atOnce,
}: Load): Promise<readonly Timing[]> {
  const queue = calls.values()
  const timings: Timing[] = []
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const call of queue) timings.push(await send(dispatcher, origin, call))
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
  const settling = settlingIn(response.headers['server-timing'])
  return { firstByte: firstByte ?? whole, whole, settling }
}

function settlingIn(timing: string | string[] | undefined): number {
  return Number(/settle;dur=([\d.]+)/.exec(String(timing))?.[1] ?? 0)
}
