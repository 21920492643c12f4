import { destroy, stall, wait, write } from '../wire/connection.ts'
import { numberFrom } from '../wire/instructions.ts'
import { dueAt } from '../wire/pace.ts'
import { isRecord } from '../wire/wire-reading.ts'
import type { ChatExchange } from './chat-exchange.ts'
import { type ChatScript, pieces, type ScriptToken } from './chat-script.ts'
import { reasoningEnd, reasoningPiece } from './signed-reasoning.ts'
import { certainLogprob, fingerprint } from './token-logprob.ts'
import type { ToolCall } from './tool-calls.ts'
import { usageJson } from './usage-json.ts'

/** One event of a stream, and the token that it counts as, if any. */
type Step = {
  readonly choice: number
  readonly delta: object
  readonly token: string | null
}

/** Streams a script as server-sent events at the configured pace, with the requested faults. */
export async function streamChat(exchange: ChatExchange, script: ChatScript): Promise<void> {
  const { connection, pace, entry, instructions } = exchange
  const started = performance.now()
  connection.response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
  })
  connection.response.flushHeaders()
  await commentUntil(exchange, started + pace.firstTokenMs)
  let tokens = 0
  for (const step of stepsOf(script)) {
    await wait(connection, started + dueAt(pace, tokens) - performance.now())
    await failAt(exchange, tokens)
    await sendChunk(exchange, [choiceJson(step, exchange)])
    if (step.token === null) continue
    tokens += 1
    entry.wrote(1)
  }
  await failAt(exchange, tokens)
  await finish(exchange, script)
  if (instructions.has('no_done')) connection.response.end()
  else connection.response.end('data: [DONE]\n\n')
  entry.end('complete')
}

/** The events of all choices, interleaved as providers do. */
function* stepsOf(script: ChatScript): Generator<Step> {
  for (const choice of script.choices.keys()) {
    yield { choice, delta: { role: 'assistant', content: '', refusal: null }, token: null }
  }
  const longest = Math.max(...script.choices.map(({ tokens }) => tokens.length))
  for (let at = 0; at < longest; at += 1) {
    for (const [choice, { tokens }] of script.choices.entries()) {
      const token = tokens[at]
      if (token === undefined) continue
      const { kind, text } = token
      if (kind === 'content') yield { choice, delta: { content: text }, token: text }
      else yield* reasoningSteps(choice, tokens, at)
    }
  }
  for (const [choice, { annotations, images, calls }] of script.choices.entries()) {
    if (annotations.length > 0) yield { choice, delta: { annotations }, token: null }
    if (images.length > 0) yield { choice, delta: { images }, token: null }
    yield* callSteps(choice, calls)
  }
}

/** A token of reasoning, and the signature after the last one. */
function* reasoningSteps(
  choice: number,
  tokens: readonly ScriptToken[],
  at: number,
): Generator<Step> {
  const text = tokens[at]?.text ?? ''
  const delta = { reasoning: text, reasoning_details: [reasoningPiece(text)] }
  yield { choice, delta, token: text }
  if (tokens[at + 1]?.kind === 'reasoning') return
  const whole = tokens.slice(0, at + 1).map((token) => token.text)
  yield { choice, delta: { reasoning_details: [reasoningEnd(whole.join(''))] }, token: null }
}

function* callSteps(choice: number, calls: readonly ToolCall[]): Generator<Step> {
  for (const [index, { id, name, arguments: args }] of calls.entries()) {
    const opening = { index, id, type: 'function', function: { name, arguments: '' } }
    yield { choice, delta: { tool_calls: [opening] }, token: name }
    for (const piece of pieces(args)) {
      const call = { index, function: { arguments: piece } }
      yield { choice, delta: { tool_calls: [call] }, token: piece }
    }
  }
}

function choiceJson({ choice, delta, token }: Step, { body }: ChatExchange): object {
  const wanted = body['logprobs'] === true && token !== null && 'content' in delta
  return {
    index: choice,
    delta,
    logprobs: wanted ? { content: [certainLogprob(token, body)] } : null,
    finish_reason: null,
  }
}

async function finish(exchange: ChatExchange, script: ChatScript): Promise<void> {
  const { body, instructions } = exchange
  await sendChunk(
    exchange,
    script.choices.map(({ finishReason }, index) => ({
      index,
      delta: {},
      logprobs: null,
      finish_reason: finishReason,
    })),
  )
  const options = body['stream_options']
  if (!isRecord(options) || options['include_usage'] !== true) return
  const usage = usageJson(script, instructions)
  if (usage !== undefined) await sendChunk(exchange, [], usage)
}

async function sendChunk(
  exchange: ChatExchange,
  choices: readonly object[],
  usage?: object,
): Promise<void> {
  const chunk = {
    id: `chatcmpl-${exchange.entry.id}`,
    object: 'chat.completion.chunk',
    created: Math.floor(exchange.now / 1000),
    model: exchange.body['model'],
    service_tier: 'default',
    system_fingerprint: fingerprint,
    choices,
    ...(usage !== undefined && { usage }),
  }
  await send(exchange, `data: ${JSON.stringify(chunk)}\n\n`)
}

async function send({ connection, instructions }: ChatExchange, text: string): Promise<void> {
  const size = numberFrom(instructions, 'chunk_bytes')
  if (size === undefined || size < 1) return write(connection, text)
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) {
    await write(connection, bytes.subarray(at, at + size))
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Sends comments as keep-alives while a model reasons. */
async function commentUntil(exchange: ChatExchange, time: number): Promise<void> {
  const { connection, instructions } = exchange
  const every = numberFrom(instructions, 'comments')
  while (every !== undefined && performance.now() + every < time) {
    await write(connection, ': SANDBOX PROCESSING\n\n')
    await wait(connection, every)
  }
  await wait(connection, time - performance.now())
}

/** Applies the faults that are due after this many tokens. */
async function failAt(exchange: ChatExchange, tokens: number): Promise<void> {
  const { connection, instructions, entry } = exchange
  const here = (key: string): boolean => numberFrom(instructions, key) === tokens
  if (instructions.has('garbage') || here('garbage_after')) {
    await write(connection, 'data: this is not JSON\n\n')
  }
  if (instructions.has('endless_line')) await endlessLine(exchange)
  if (here('error_event_after')) {
    const error = { message: 'The sandbox fails as instructed', code: 502 }
    await write(connection, `data: ${JSON.stringify({ error, choices: [] })}\n\n`)
    entry.end('faulted')
  }
  if (here('cut_inside_event')) {
    await write(connection, 'data: {"id":"chatcmpl-cut","choices":[{"index":0,"delta":{"con')
    connection.response.end()
    entry.end('faulted')
    await stall(connection)
  }
  if (here('end_after')) {
    connection.response.end()
    entry.end('faulted')
    await stall(connection)
  }
  if (here('stall_after')) await stall(connection)
  if (here('cut_after')) {
    // Let the written data arrive before the reset.
    await wait(connection, 30)
    entry.end('faulted')
    destroy(connection)
  }
}

async function endlessLine(exchange: ChatExchange): Promise<never> {
  const filler = 'x'.repeat(65_536)
  await write(exchange.connection, 'data: ')
  for (;;) {
    await write(exchange.connection, filler)
    await new Promise((resolve) => setImmediate(resolve))
  }
}
