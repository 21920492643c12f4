import { at, type Json, listAt, number, text } from './json-events.ts'
import {
  type CallReading,
  type ChoiceReading,
  distinctSeals,
  dollars,
  parsedArguments,
  type Reading,
  type UsageReading,
} from './reading.ts'

type Call = { id: string | null; name: string; text: string; upstreamIndex: unknown }

type Seal = { seal: string; id: string }

type Choice = {
  text: string
  reasoning: string
  refusal: string
  calls: Call[]
  seals: Seal[]
  finish: string
}

/** Chat completions, whole or in chunks. */
export function readOpenAi(events: readonly Json[], vendor: string): Reading {
  const choices = new Map<number, Choice>()
  let usage: Json | undefined
  for (const event of events) {
    const given = usageOf(event)
    if (given !== undefined) usage = given
    for (const choice of listAt(event, 'choices')) addChoice(choices, choice)
  }
  // No recording breaks off after its usage.
  const isOver = (number(usage ?? {}, 'completion_tokens') ?? 0) > 0
  if (!isOver && [...choices.values()].some(({ finish }) => finish === ''))
    return { error: 'upstream_truncated' }
  return {
    choices: [...choices].sort(([a], [b]) => a - b).map(([, choice]) => readingOf(choice)),
    usage: usage === undefined ? null : readUsage(usage, vendor),
  }
}

function usageOf(event: Json): Json | undefined {
  const places = [event, at(event, 'x_groq'), ...listAt(event, 'choices')]
  return places.map((place) => at(place, 'usage')).find((usage) => Object.keys(usage).length > 0)
}

function addChoice(choices: Map<number, Choice>, given: Json): void {
  const index = number(given, 'index') ?? 0
  const choice = choices.get(index) ?? {
    text: '',
    reasoning: '',
    refusal: '',
    calls: [],
    seals: [],
    finish: '',
  }
  choices.set(index, choice)
  const message = 'delta' in given ? at(given, 'delta') : at(given, 'message')
  const parts = listAt(message, 'content')
  choice.text += text(message, 'content')
  choice.text += parts.map((part) => (part['type'] === 'text' ? text(part, 'text') : '')).join('')
  choice.reasoning += reasoningOf(message, parts)
  choice.refusal += text(message, 'refusal')
  for (const [position, call] of listAt(message, 'tool_calls').entries()) {
    addCall(choice.calls, call, position)
  }
  for (const detail of listAt(message, 'reasoning_details')) {
    const seal = text(detail, 'signature') || text(detail, 'data')
    if (seal !== '') choice.seals.push({ seal, id: text(detail, 'id') })
  }
  choice.finish = text(given, 'finish_reason') || choice.finish
}

function reasoningOf(message: Json, parts: readonly Json[]): string {
  const thinking = parts.flatMap((part) => listAt(part, 'thinking'))
  return (
    text(message, 'reasoning_content') ||
    text(message, 'reasoning') ||
    thinking.map((part) => text(part, 'text')).join('')
  )
}

/** Recorded pieces of a call share its index; a piece with a name opens the next call. */
function addCall(calls: Call[], given: Json, position: number): void {
  const call = at(given, 'function')
  const upstreamIndex = given['index'] ?? position
  const name = text(call, 'name')
  const open = calls.findLast((one) => one.upstreamIndex === upstreamIndex)
  const args = call['arguments']
  const piece =
    typeof args === 'object' && args !== null ? JSON.stringify(args) : text(call, 'arguments')
  if (open === undefined || (name !== '' && text(given, 'id') !== open.id)) {
    calls.push({ id: text(given, 'id') || null, name, text: piece, upstreamIndex })
  } else open.text += piece
}

function readingOf({ calls, seals, finish, ...texts }: Choice): ChoiceReading {
  return {
    ...texts,
    calls: calls.map(
      ({ id, name, text: args }): CallReading => ({ id, name, arguments: parsedArguments(args) }),
    ),
    seals: distinctSeals(
      seals.map(({ seal, id }) => {
        const call = calls.findIndex((one) => one.id === id)
        return { seal, call: call < 0 ? null : call }
      }),
    ),
    finish: finishOf(finish || (calls.length > 0 ? 'tool_calls' : 'stop')),
  }
}

function finishOf(reason: string): string {
  if (reason === 'function_call') return 'tool_calls'
  return ['length', 'tool_calls', 'content_filter'].includes(reason) ? reason : 'stop'
}

/** Tokens that no counter names but the total holds are output that is billed. */
function readUsage(usage: Json, vendor: string): UsageReading | null {
  const prompt = number(usage, 'prompt_tokens')
  const completion = number(usage, 'completion_tokens')
  if (prompt === undefined || completion === undefined) return null
  const details = { ...at(usage, 'prompt_token_details'), ...at(usage, 'prompt_tokens_details') }
  const reasoning =
    number(at(usage, 'completion_tokens_details'), 'reasoning_tokens') ??
    number(usage, 'reasoning_tokens') ??
    0
  const cacheRead =
    number(details, 'cached_tokens') ??
    number(usage, 'prompt_cache_hit_tokens', 'cached_tokens', 'num_cached_tokens') ??
    0
  const isApart = vendor === 'xai' && cacheRead > prompt
  const audio = number(details, 'audio_tokens') ?? 0
  const heard = audio > prompt ? prompt + audio : prompt
  const input = isApart ? prompt + cacheRead : Math.max(heard, cacheRead)
  const output = vendor === 'xai' ? completion + reasoning : completion
  return {
    input,
    output: Math.max(output, reasoning, (number(usage, 'total_tokens') ?? 0) - input),
    cacheRead,
    cacheWrite: Math.min(number(details, 'cache_write_tokens') ?? 0, input - cacheRead),
    reasoning,
    cost: costOf(usage, vendor),
  }
}

/** OpenRouter's own fee does not hold what the operator's key was billed. */
function costOf(usage: Json, vendor: string): number | null {
  const total = at(usage, 'cost')['total_cost']
  if (vendor === 'perplexity') return typeof total === 'number' ? dollars(total) : null
  const cost = number(usage, 'cost')
  if (vendor !== 'openrouter' || cost === undefined) return null
  if (usage['is_byok'] !== true) return dollars(cost)
  const upstream = number(at(usage, 'cost_details'), 'upstream_inference_cost')
  return upstream === undefined ? null : dollars(cost + upstream)
}
