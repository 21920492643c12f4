import { sendJson, wait } from '../wire/connection.ts'
import { failEarly } from '../wire/early-faults.ts'
import { numberFrom } from '../wire/instructions.ts'
import { dueAt, type Pace } from '../wire/pace.ts'
import type { ChatExchange } from './chat-exchange.ts'
import { type ChatScript, type ChoiceScript, writeChatScript } from './chat-script.ts'
import { streamChat } from './chat-stream.ts'
import { findChangedReasoning, reasoningStep } from './signed-reasoning.ts'
import { certainLogprob, fingerprint } from './token-logprob.ts'
import { usageJson } from './usage-json.ts'

/** `POST /v1/chat/completions`, JSON or stream. */
export async function answerChat(exchange: ChatExchange): Promise<void> {
  const { connection, body, instructions, entry } = exchange
  if ((await failEarly(connection, instructions, entry)) === 'responded') return
  const changed = findChangedReasoning(body)
  if (changed !== undefined) return refuse(exchange, changed)
  const script = await writeChatScript(body, instructions, exchange.script)
  const paced = { ...exchange, pace: paceOf(exchange) }
  if (body['stream'] === true) await streamChat(paced, script)
  else await answerWhole(paced, script)
}

function refuse({ connection, entry }: ChatExchange, path: string): void {
  const message = `${path} is not what the sandbox signed. Send it back unchanged.`
  entry.end('faulted')
  sendJson(connection, { status: 400, body: { error: { message, param: path } } })
}

function paceOf({ instructions, pace }: ChatExchange): Pace {
  return {
    ...pace,
    firstTokenMs: numberFrom(instructions, 'first_token_ms') ?? pace.firstTokenMs,
    tokensPerSecond: numberFrom(instructions, 'tokens_per_second') ?? pace.tokensPerSecond,
  }
}

async function answerWhole(exchange: ChatExchange, script: ChatScript): Promise<void> {
  const { connection, body, instructions, entry, pace } = exchange
  await wait(connection, dueAt(pace, script.completionTokens))
  entry.wrote(script.completionTokens)
  const usage = usageJson(script, instructions)
  const completion = {
    id: `chatcmpl-${entry.id}`,
    object: 'chat.completion',
    created: Math.floor(exchange.now / 1000),
    model: body['model'],
    choices: script.choices.map((choice, index) => ({
      index,
      message: wholeMessage(choice),
      logprobs: body['logprobs'] === true ? { content: tokenLogprobs(choice, body) } : null,
      finish_reason: choice.finishReason,
    })),
    ...(usage !== undefined && { usage }),
    service_tier: 'default',
    system_fingerprint: fingerprint,
  }
  entry.end('complete')
  sendJson(connection, { status: 200, body: completion })
}

function wholeMessage({ tokens, calls, annotations, images }: ChoiceScript): object {
  const text = (kind: string): string =>
    tokens
      .filter((token) => token.kind === kind)
      .map((token) => token.text)
      .join('')
  const reasoning = text('reasoning')
  return {
    role: 'assistant',
    content: calls.length === 0 ? text('content') : null,
    refusal: null,
    annotations,
    ...(images.length > 0 && { images }),
    ...(reasoning !== '' && { reasoning, reasoning_details: [reasoningStep(reasoning)] }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, arguments: args }) => ({
        id,
        type: 'function',
        function: { name, arguments: args },
      })),
    }),
  }
}

function tokenLogprobs({ tokens }: ChoiceScript, body: ChatExchange['body']): readonly object[] {
  const content = tokens.filter(({ kind }) => kind === 'content')
  return content.map(({ text }) => certainLogprob(text, body))
}
