import { isDeepStrictEqual } from 'node:util'
import {
  anthropicEvents,
  geminiEvents,
  openAiEvents,
  type VendorAnswer,
  type VendorRequest,
} from './vendor-server.ts'

/** The answers of a conversation: every other one calls tools, one or two at once. */
export const turns = 10
export const picture = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ'

type Call = { readonly id: string; readonly args: { readonly at: string } }

/** What the model thinks, says and calls in an answer. */
type Turn = { readonly thought: string; readonly text: string; readonly calls: readonly Call[] }

/** What an answer says; nothing where it calls tools. */
export function textAt(turn: number): string {
  return turn % 2 === 0 ? '' : `Said ${turn}.`
}

function turnAt(turn: number, callId: (name: string) => string): Turn {
  const names = turn % 2 === 1 ? [] : turn % 4 === 0 ? ['a', 'b'] : ['a']
  return {
    thought: `Thought ${turn}.`,
    text: textAt(turn),
    calls: names.map((name) => ({
      id: callId(`${turn}${name}`),
      args: { at: `place ${turn}${name}` },
    })),
  }
}

/** What each answer uses: prompt, cached part of it, and output with its reasoning. */
export const used = { prompt: 100, cached: 40, output: 20, reasoning: 5 }

type Json = Readonly<Record<string, unknown>>

/** The next answer to a request, and what is wrong in the history of the request. */
type Vendor = (body: Json, problems: string[]) => VendorAnswer

/** How one provider of OpenAI's wire sends its thoughts, and how it wants them back. */
type OpenAiStyle = {
  readonly thought: (text: string, turn: number) => Json
  readonly returned: (text: string, turn: number) => Json
  readonly callId: (name: string) => string
  readonly usage: Json
}

const usage = {
  prompt_tokens: used.prompt,
  completion_tokens: used.output,
  total_tokens: used.prompt + used.output,
  prompt_tokens_details: { cached_tokens: used.cached },
  completion_tokens_details: { reasoning_tokens: used.reasoning },
}

const plain: OpenAiStyle = {
  thought: (reasoning_content) => ({ reasoning_content }),
  returned: () => ({}),
  callId: (name) => `call_${name.padEnd(24, '0')}`,
  usage,
}

const withText: OpenAiStyle = {
  ...plain,
  returned: (reasoning_content) => ({ reasoning_content }),
}

function detail(text: string, turn: number): Json {
  const signature = `signed ${turn}`
  return { type: 'reasoning.text', format: 'anthropic-claude-v1', index: 0, text, signature }
}

const openRouter: OpenAiStyle = {
  ...plain,
  thought: (text, turn) => ({ reasoning: text, reasoning_details: [detail(text, turn)] }),
  returned: (text, turn) => ({ reasoning_details: [detail(text, turn)] }),
}

const xAi: OpenAiStyle = {
  ...plain,
  usage: {
    ...usage,
    completion_tokens: used.output - used.reasoning,
  },
}

const mistral: OpenAiStyle = {
  ...plain,
  thought: (text) => ({ content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }] }),
  callId: (name) => name.padEnd(9, 'x'),
}

const styles: Readonly<Record<string, OpenAiStyle>> = {
  deepseek: withText,
  moonshot: withText,
  openrouter: openRouter,
  xai: xAi,
  mistral,
}

function compare(expected: unknown, given: unknown, problems: string[]): void {
  const [wanted, found] = [expected, given].map((value) =>
    JSON.parse(JSON.stringify(value ?? null)),
  )
  if (isDeepStrictEqual(wanted, found)) return
  problems.push(`expected ${JSON.stringify(wanted)}, got ${JSON.stringify(found)}`)
}

function openAiLike(style: OpenAiStyle): Vendor {
  return ({ messages }, problems) => {
    const given = messages as readonly Json[]
    const own = given.filter(({ role }) => role === 'assistant')
    for (const [turn, message] of own.entries()) {
      const { calls, text } = turnAt(turn, style.callId)
      const { content, ...rest } = message
      compare(text, content ?? '', problems)
      compare(openAiMessage(style, turn), rest, problems)
      const results = given.slice(given.indexOf(message) + 1).slice(0, calls.length)
      const expected = calls.map(({ id }) => ({ role: 'tool', content: 'seen', tool_call_id: id }))
      compare(expected, results, problems)
    }
    return openAiAnswer(style, own.length)
  }
}

/** An answer as it comes back, without its text. */
function openAiMessage({ callId, returned }: OpenAiStyle, turn: number): Json {
  const { calls, thought } = turnAt(turn, callId)
  const tool_calls = calls.map(({ id, args }) => ({
    id,
    type: 'function',
    function: { name: 'look', arguments: JSON.stringify(args) },
  }))
  return {
    role: 'assistant',
    ...(tool_calls.length > 0 && { tool_calls }),
    ...returned(thought, turn),
  }
}

function openAiAnswer({ callId, thought, usage: counts }: OpenAiStyle, turn: number): VendorAnswer {
  const { calls, text, thought: thinking } = turnAt(turn, callId)
  const called = calls.flatMap(({ id, args }, index) => {
    const begun = { index, id, type: 'function', function: { name: 'look', arguments: '' } }
    const json = JSON.stringify(args)
    const pieces = [json.slice(0, 4), json.slice(4)]
    return [begun, ...pieces.map((piece) => ({ index, function: { arguments: piece } }))]
  })
  const deltas = [
    { role: 'assistant', content: '' },
    thought(thinking, turn),
    ...(text === '' ? [] : [{ content: text.slice(0, 3) }, { content: text.slice(3) }]),
    ...called.map((call) => ({ tool_calls: [call] })),
  ]
  return { events: openAiEvents(deltas, calls.length > 0 ? 'tool_calls' : 'stop', counts) }
}

type AnthropicMessage = { readonly role: string; readonly content: readonly Json[] }

const toolUseId = (name: string): string => `toolu_${name.padEnd(24, '0')}`

const anthropic: Vendor = ({ messages }, problems) => {
  const given = messages as readonly AnthropicMessage[]
  const own = given.filter(({ role }) => role === 'assistant')
  for (const [turn, message] of own.entries()) {
    const { calls, text, thought } = turnAt(turn, toolUseId)
    // The stream helper of openai keeps the signature alone, which holds the thought.
    const thinking = message.content[0]?.['thinking'] && thought
    const blocks = [
      { type: 'thinking', thinking: thinking ?? '', signature: `signed ${turn}` },
      ...(text === '' ? [] : [{ type: 'text', text }]),
      ...calls.map(({ id, args }) => ({ type: 'tool_use', id, name: 'look', input: args })),
    ]
    compare(blocks, message.content, problems)
    const results = given[given.indexOf(message) + 1]?.content.slice(0, calls.length) ?? []
    compare(
      calls.map(({ id }) => id),
      results.map(({ tool_use_id }) => tool_use_id),
      problems,
    )
  }
  return anthropicAnswer(own.length)
}

function anthropicAnswer(turn: number): VendorAnswer {
  const { calls, text, thought } = turnAt(turn, toolUseId)
  const thinking = {
    start: { type: 'thinking', thinking: '', signature: '' },
    deltas: [
      { type: 'thinking_delta', thinking: thought.slice(0, 3) },
      { type: 'thinking_delta', thinking: thought.slice(3) },
      { type: 'signature_delta', signature: `signed ${turn}` },
    ],
  }
  const said = { start: { type: 'text', text: '' }, deltas: [{ type: 'text_delta', text }] }
  const called = calls.map(({ id, args }) => ({
    start: { type: 'tool_use', id, name: 'look', input: {} },
    deltas: [{ type: 'input_json_delta', partial_json: JSON.stringify(args) }],
  }))
  const blocks = [thinking, ...(text === '' ? [] : [said]), ...called]
  const events = anthropicEvents(blocks, calls.length > 0 ? 'tool_use' : 'end_turn', {
    input_tokens: used.prompt - used.cached,
    cache_read_input_tokens: used.cached,
    output_tokens: used.output,
  })
  return { events }
}

type GeminiContent = { readonly role: string; readonly parts: readonly Json[] }

const gemini: Vendor = ({ contents }, problems) => {
  const given = contents as readonly GeminiContent[]
  const own = given.filter(({ role }) => role === 'model')
  for (const [turn, content] of own.entries()) {
    const { parts, calls } = geminiTurn(turn)
    compare(parts, content.parts, problems)
    const results = given[given.indexOf(content) + 1]?.parts.slice(0, calls.length) ?? []
    const response = { result: 'seen' }
    compare(
      calls.map(({ id }) => ({ functionResponse: { id, name: 'look', response } })),
      results,
      problems,
    )
  }
  const { parts, thought } = geminiTurn(own.length)
  const events = geminiEvents([{ text: thought, thought: true }, ...parts], {
    promptTokenCount: used.prompt,
    cachedContentTokenCount: used.cached,
    candidatesTokenCount: used.output - used.reasoning,
    thoughtsTokenCount: used.reasoning,
  })
  return { events }
}

/** A turn of Gemini's, whose signature is at its text or its first call. */
function geminiTurn(number: number): Turn & { readonly parts: readonly Json[] } {
  const turn = turnAt(number, (name) => `gem${name}`)
  const thoughtSignature = `signed ${number}`
  const calls = turn.calls.map(({ id, args }, index) => ({
    functionCall: { id, name: 'look', args },
    ...(index === 0 && { thoughtSignature }),
  }))
  return {
    ...turn,
    parts: [...(turn.text === '' ? [] : [{ text: turn.text, thoughtSignature }]), ...calls],
  }
}

/** Answers as the provider in the path, and notes what is wrong in the history it was sent. */
export function answerAs({ path, body }: VendorRequest, problems: string[]): VendorAnswer {
  const [, name = ''] = path.split('/')
  const found: string[] = []
  const sent = JSON.stringify(body)
  const answer = vendorOf(name)(body, found)
  const [, data = ''] = picture.split(',')
  const [hasFourth, hasPicture] = ['place 4a', data].map((text) => sent.includes(text))
  if (hasFourth && !hasPicture) found.push('the picture is missing')
  problems.push(...found.map((problem) => `${name}: ${problem}`))
  return answer
}

function vendorOf(name: string): Vendor {
  if (name === 'anthropic') return anthropic
  return name === 'gemini' ? gemini : openAiLike(styles[name] ?? plain)
}
