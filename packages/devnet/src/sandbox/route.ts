import { answerChat } from './chat/chat-endpoint.ts'
import type { ScriptOptions } from './chat/chat-script.ts'
import { answerOpenAiImages, answerRunware, type ImageExchange } from './images/image-endpoints.ts'
import type { ImageStore } from './images/image-store.ts'
import { type Connection, readJson, sendJson } from './wire/connection.ts'
import type { FaultRule, FaultRules } from './wire/fault-rules.ts'
import { type Instructions, instructionsIn } from './wire/instructions.ts'
import type { Pace } from './wire/pace.ts'
import type { LogEntry, RequestLog } from './wire/request-log.ts'
import { isRecord, recordsOf, textOf, type WireRecord } from './wire/wire-reading.ts'

/** State shared by all requests to one sandbox. */
export type SandboxState = {
  readonly log: RequestLog
  readonly rules: FaultRules
  readonly store: ImageStore
  readonly pace: Pace
  readonly script: ScriptOptions
  readonly clock: () => number
}

/** Handles one request. */
export async function route(state: SandboxState, connection: Connection): Promise<void> {
  const { method, url = '/' } = connection.request
  const [path = '/'] = url.split('?')
  if (method === 'GET' && path.startsWith('/images/')) return sendPicture(state, connection, path)
  switch (`${method ?? ''} ${path}`) {
    case 'POST /v1/chat/completions':
      return chat(state, connection, path)
    case 'POST /v1/images/generations':
      return openAiImages(state, connection, path)
    case 'POST /runware/v1':
      return runware(state, connection, path)
    case 'GET /sandbox/requests':
      return sendJson(connection, { status: 200, body: state.log.requests })
    case 'POST /sandbox/faults':
      state.rules.set(readRules(await readJson(connection.request)))
      return sendJson(connection, { status: 200, body: { status: 'ok' } })
    default:
      return sendError(connection, 404, `${path} is not an endpoint of the sandbox`)
  }
}

async function chat(state: SandboxState, connection: Connection, path: string): Promise<void> {
  const body = await readJson(connection.request)
  if (!isRecord(body)) return sendError(connection, 400, 'The body must be a JSON object')
  const message = recordsOf(body['messages']).findLast(({ role }) => role === 'user')
  const arrived = arrive(state, connection, {
    path,
    task: body,
    text: textOf(message?.['content']),
  })
  await answerChat({
    ...arrived,
    connection,
    body,
    pace: state.pace,
    script: state.script,
    now: state.clock(),
  })
}

async function openAiImages(
  state: SandboxState,
  connection: Connection,
  path: string,
): Promise<void> {
  const task = await readJson(connection.request)
  if (!isRecord(task)) return sendError(connection, 400, 'The body must be a JSON object')
  const prompt = textOf(task['prompt'])
  await answerOpenAiImages(imageExchange(state, connection, { path, task, text: prompt }))
}

async function runware(state: SandboxState, connection: Connection, path: string): Promise<void> {
  const [task] = recordsOf(await readJson(connection.request))
  if (task === undefined) return sendError(connection, 400, 'The body must be an array of tasks')
  const prompt = textOf(task['positivePrompt'])
  await answerRunware(imageExchange(state, connection, { path, task, text: prompt }))
}

type Arrival = { readonly path: string; readonly task: WireRecord; readonly text: string }

function imageExchange(
  state: SandboxState,
  connection: Connection,
  arrival: Arrival,
): ImageExchange {
  return {
    ...arrive(state, connection, arrival),
    connection,
    task: arrival.task,
    prompt: arrival.text,
    store: state.store,
    origin: `http://127.0.0.1:${connection.request.socket.localPort ?? 0}`,
    delay: state.pace.imageMs,
    now: state.clock(),
  }
}

/** Logs a request and collects its instructions; its own take precedence over a rule's. */
function arrive(
  state: SandboxState,
  connection: Connection,
  { path, task, text }: Arrival,
): { readonly instructions: Instructions; readonly entry: LogEntry } {
  const model = typeof task['model'] === 'string' ? task['model'] : ''
  const instructions = new Map([...state.rules.take(path, model), ...instructionsIn(text)])
  const { headers } = connection.request
  const label = instructions.get('label') ?? ''
  const entry = state.log.open({ path, model, label, headers, body: task })
  connection.response.once('close', () => entry.end('aborted'))
  return { instructions, entry }
}

function sendPicture({ store }: SandboxState, connection: Connection, path: string): void {
  const png = store.find(path.slice('/images/'.length).replace(/\.png$/, ''))
  if (png === undefined) return sendError(connection, 404, `${path} is no longer stored`)
  const { response } = connection
  response.writeHead(200, { 'content-type': 'image/png', 'content-length': png.length })
  response.end(png)
}

function sendError(connection: Connection, status: number, message: string): void {
  sendJson(connection, { status, body: { error: { message } } })
}

function readRules(body: unknown): readonly FaultRule[] {
  return recordsOf(body).map(({ instruct, path, model, times }) => {
    if (typeof instruct !== 'string') throw new RangeError('Every rule needs "instruct"')
    return {
      instruct,
      ...(typeof path === 'string' && { path }),
      ...(typeof model === 'string' && { model }),
      ...(typeof times === 'number' && { times }),
    }
  })
}
