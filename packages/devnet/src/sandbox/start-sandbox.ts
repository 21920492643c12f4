import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { answerChat } from './chat-endpoint.ts'
import {
  type Connection,
  ConnectionClosed,
  openConnection,
  readJson,
  sendJson,
} from './connection.ts'
import { createFaultRules, type FaultRule, type FaultRules } from './fault-rules.ts'
import { type Instructions, instructionsIn } from './instructions.ts'
import { modelPace, type Pace } from './pace.ts'
import { createRequestLog, type RequestLog, type SandboxRequest } from './request-log.ts'
import { isRecord, recordsOf, textOf, type WireRecord } from './wire-reading.ts'

export type SandboxOptions = {
  /** A free one unless given. */
  readonly port?: number
  readonly pace?: Partial<Pace>
  /** Another seed gives other answers to the same requests. */
  readonly seed?: string
  /**
   * Counts the tokens of the messages of a request. Unless given, words are counted, of which no
   * tokenizer makes fewer tokens.
   */
  readonly countPromptTokens?: (messages: readonly WireRecord[]) => number
  readonly clock?: () => number
}

/** Providers of chat and images that answer by rule, on this machine alone. */
export type Sandbox = {
  readonly url: string
  /** OpenAI chat and images: `…/v1`. */
  readonly chatBaseUrl: string
  readonly imagesBaseUrl: string
  /** Runware tasks. */
  readonly runwareBaseUrl: string
  /** What reached the provider endpoints, the newest last. */
  readonly requests: readonly SandboxRequest[]
  /** @throws {RangeError} for an instruction that the sandbox does not know. */
  setFaults(rules: readonly FaultRule[]): void
  stop(): Promise<void>
}

type State = {
  readonly log: RequestLog
  readonly rules: FaultRules
  readonly pace: Pace
  readonly seed: string
  readonly clock: () => number
  readonly options: SandboxOptions
}

/** Starts the sandbox on loopback. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const clock = options.clock ?? Date.now
  const state: State = {
    log: createRequestLog(clock),
    rules: createFaultRules(),
    pace: { ...modelPace, ...options.pace },
    seed: options.seed ?? 'sandbox',
    clock,
    options,
  }
  const server = createServer((request, response) => {
    void serve(state, request, response)
  })
  const port = await listen(server, options.port ?? 0)
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    chatBaseUrl: `${url}/v1`,
    imagesBaseUrl: `${url}/v1`,
    runwareBaseUrl: `${url}/runware/v1`,
    requests: state.log.requests,
    setFaults: (rules) => state.rules.set(rules),
    stop: () => stop(server),
  }
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}

async function stop(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

async function serve(
  state: State,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const connection = openConnection(request, response)
  try {
    await route(state, connection)
  } catch (error) {
    if (error instanceof ConnectionClosed) return
    const message = error instanceof Error ? error.message : 'unknown'
    if (!response.headersSent) sendJson(connection, 400, { error: { message } })
    else response.destroy()
  }
}

async function route(state: State, connection: Connection): Promise<void> {
  const { method, url = '/' } = connection.request
  const path = url.split('?')[0] ?? '/'
  switch (`${method ?? ''} ${path}`) {
    case 'POST /v1/chat/completions':
      return chat(state, connection)
    case 'GET /sandbox/requests':
      return sendJson(connection, 200, state.log.requests)
    case 'POST /sandbox/faults':
      return faults(state, connection)
    default:
      return sendJson(connection, 404, { error: { message: `The sandbox has no ${path}` } })
  }
}

async function faults(state: State, connection: Connection): Promise<void> {
  state.rules.set(readRules(await readJson(connection.request)))
  sendJson(connection, 200, { status: 'ok' })
}

function readRules(body: unknown): readonly FaultRule[] {
  return recordsOf(body).map((rule) => {
    const { instruct, path, model, times } = rule
    if (typeof instruct !== 'string') throw new RangeError('Every rule needs "instruct"')
    return {
      instruct,
      ...(typeof path === 'string' && { path }),
      ...(typeof model === 'string' && { model }),
      ...(typeof times === 'number' && { times }),
    }
  })
}

async function chat(state: State, connection: Connection): Promise<void> {
  const body = await readJson(connection.request)
  if (!isRecord(body)) return sendJson(connection, 400, { error: { message: 'No JSON object' } })
  const model = typeof body['model'] === 'string' ? body['model'] : ''
  const path = '/v1/chat/completions'
  const instructions: Instructions = new Map([
    ...state.rules.take(path, model),
    ...instructionsIn(lastUserText(body)),
  ])
  const { headers } = connection.request
  const label = instructions.get('label') ?? ''
  const entry = state.log.open({ path, model, label, headers, body })
  connection.response.once('close', () => entry.end('aborted'))
  const { countPromptTokens } = state.options
  await answerChat({
    connection,
    body,
    instructions,
    entry,
    pace: state.pace,
    script: { seed: state.seed, ...(countPromptTokens !== undefined && { countPromptTokens }) },
    now: state.clock(),
  })
}

function lastUserText(body: WireRecord): string {
  const message = recordsOf(body['messages']).findLast(({ role }) => role === 'user')
  return textOf(message?.['content'])
}
