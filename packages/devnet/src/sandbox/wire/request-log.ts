/** One request that reached a provider endpoint of the sandbox. */
export type SandboxRequest = {
  readonly id: string
  readonly path: string
  readonly model: string
  /** The `label` instruction; a test uses it to find its requests. */
  readonly label: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: unknown
  readonly startedAt: number
  /** Null while the request is running. */
  readonly endedAt: number | null
  readonly outcome: 'running' | 'complete' | 'aborted' | 'faulted'
  /** Content and reasoning tokens sent. */
  readonly tokens: number
}

/** The requests of the sandbox, newest last; old ones are dropped. */
export type RequestLog = {
  open(entry: Pick<SandboxRequest, 'path' | 'model' | 'label' | 'headers' | 'body'>): LogEntry
  readonly requests: readonly SandboxRequest[]
}

export type LogEntry = {
  readonly id: string
  wrote(tokens: number): void
  end(outcome: 'complete' | 'aborted' | 'faulted'): void
}

const kept = 10_000

type Mutable = { -readonly [Key in keyof SandboxRequest]: SandboxRequest[Key] }

export function createRequestLog(clock: () => number): RequestLog {
  const requests: Mutable[] = []
  let count = 0
  return {
    requests,
    open(entry) {
      count += 1
      const id = `sandbox-${count}`
      const request: Mutable = {
        ...entry,
        id,
        startedAt: clock(),
        endedAt: null,
        outcome: 'running',
        tokens: 0,
      }
      requests.push(request)
      if (requests.length > kept) requests.shift()
      return {
        id,
        wrote(tokens) {
          request.tokens += tokens
        },
        end(outcome) {
          if (request.outcome !== 'running') return
          request.outcome = outcome
          request.endedAt = clock()
        },
      }
    },
  }
}
