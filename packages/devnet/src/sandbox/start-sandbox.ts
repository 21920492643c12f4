import type { IncomingMessage, ServerResponse } from 'node:http'
import { startLoopbackServer } from '../faults/loopback-server.ts'
import { createImageStore } from './images/image-store.ts'
import { route, type SandboxState } from './route.ts'
import { ConnectionClosed, openConnection, sendJson } from './wire/connection.ts'
import { createFaultRules, type FaultRule } from './wire/fault-rules.ts'
import { modelPace, type Pace } from './wire/pace.ts'
import { createRequestLog, type SandboxRequest } from './wire/request-log.ts'
import type { WireRecord } from './wire/wire-reading.ts'

export type SandboxOptions = {
  /** Defaults to a free port. */
  readonly port?: number
  readonly pace?: Partial<Pace>
  /** A different seed gives different completions of the same requests. */
  readonly seed?: string
  /**
   * Counts the tokens of the messages of a request. Defaults to counting words: no tokenizer counts
   * fewer.
   */
  readonly countPromptTokens?: (messages: readonly WireRecord[]) => number
  readonly clock?: () => number
}

/** Chat and image providers on loopback that respond by rule. */
export type Sandbox = {
  readonly url: string
  /** OpenAI's chat and images: `…/v1`. */
  readonly chatBaseUrl: string
  readonly imagesBaseUrl: string
  /** Runware's tasks. */
  readonly runwareBaseUrl: string
  /** The requests to the provider endpoints, newest last. */
  readonly requests: readonly SandboxRequest[]
  /** @throws {RangeError} if an instruction is unknown. */
  setFaults(rules: readonly FaultRule[]): void
  stop(): Promise<void>
}

/** Memory for pictures, in bytes. */
const pictureMemory = 64 * 1024 * 1024

/** Starts the sandbox on loopback. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const clock = options.clock ?? Date.now
  const log = createRequestLog(clock)
  const rules = createFaultRules()
  const { countPromptTokens } = options
  const state: SandboxState = {
    log,
    rules,
    store: createImageStore(pictureMemory),
    pace: { ...modelPace, ...options.pace },
    script: {
      seed: options.seed ?? 'sandbox',
      ...(countPromptTokens !== undefined && { countPromptTokens }),
    },
    clock,
  }
  const { url, stop } = await startLoopbackServer((request, response) => {
    void serve(state, request, response)
  }, options.port)
  return {
    url,
    chatBaseUrl: `${url}/v1`,
    imagesBaseUrl: `${url}/v1`,
    runwareBaseUrl: `${url}/runware/v1`,
    requests: log.requests,
    setFaults: (given) => rules.set(given),
    stop,
  }
}

async function serve(
  state: SandboxState,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const connection = openConnection(request, response)
  try {
    await route(state, connection)
  } catch (error) {
    if (error instanceof ConnectionClosed) return
    const message = error instanceof Error ? error.message : 'The sandbox failed'
    if (response.headersSent) response.destroy()
    else sendJson(connection, { status: 400, body: { error: { message } } })
  }
}
