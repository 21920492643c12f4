import { at, type Json, listAt, number, text } from './json-events.ts'
import {
  type CallReading,
  distinctSeals,
  emptyChoice,
  parsedArguments,
  type Reading,
} from './reading.ts'

type Block = {
  type: string
  text: string
  json: string
  seal: string
  id: string
  name: string
  input: unknown
}

/** A message of Anthropic's, whole or as the events that build it. */
export function readAnthropic(events: readonly Json[]): Reading {
  const types = events.map((event) => event['type'])
  const firstBlock = types.indexOf('content_block_start')
  if (firstBlock >= 0 && types.lastIndexOf('message_start') > firstBlock)
    return { error: 'upstream_truncated' }
  const blocks = new Map<unknown, Block>()
  const usage = new Map<string, unknown>()
  let reason = ''
  for (const event of events) {
    const message = event['type'] === 'message_start' ? at(event, 'message') : event
    for (const [key, count] of Object.entries(at(message, 'usage'))) usage.set(key, count)
    for (const [index, block] of listAt(message, 'content').entries()) {
      blocks.set(index, blockOf(block))
    }
    if (event['type'] === 'content_block_start') {
      blocks.set(event['index'], blockOf(at(event, 'content_block')))
    }
    if (event['type'] === 'content_block_delta') addDelta(blocks.get(event['index']), event)
    reason = text(message, 'stop_reason') || text(at(event, 'delta'), 'stop_reason') || reason
  }
  if (reason === '') return { error: 'upstream_truncated' }
  const all = [...blocks.values()]
  return {
    choices: [
      {
        ...emptyChoice,
        text: joined(all, 'text'),
        reasoning: joined(all, 'thinking'),
        calls: all.filter(({ type }) => type === 'tool_use').map(callOf),
        seals: sealsOf(all),
        finish: finishOf(reason),
      },
    ],
    usage: readUsage(Object.fromEntries(usage)),
  }
}

function blockOf(block: Json): Block {
  return {
    type: text(block, 'type'),
    text: text(block, 'text') + text(block, 'thinking'),
    json: '',
    seal: text(block, 'signature') || text(block, 'data'),
    id: text(block, 'id'),
    name: text(block, 'name'),
    input: block['input'],
  }
}

function addDelta(block: Block | undefined, event: Json): void {
  if (block === undefined) return
  const delta = at(event, 'delta')
  block.text += text(delta, 'text') + text(delta, 'thinking')
  block.json += text(delta, 'partial_json')
  block.seal += text(delta, 'signature')
}

function joined(blocks: readonly Block[], type: string): string {
  return blocks.map((block) => (block.type === type ? block.text : '')).join('')
}

function callOf({ id, name, json, input }: Block): CallReading {
  return { id, name, arguments: json === '' ? (input ?? {}) : parsedArguments(json) }
}

function sealsOf(blocks: readonly Block[]): ReturnType<typeof distinctSeals> {
  const thoughts = blocks.filter(({ type }) => /^(redacted_)?thinking$/.test(type))
  const sealed = thoughts.filter(({ seal }) => seal !== '')
  return distinctSeals(sealed.map(({ seal }) => ({ seal, call: null })))
}

function finishOf(reason: string): string {
  const known: Readonly<Record<string, string>> = {
    tool_use: 'tool_calls',
    max_tokens: 'length',
    model_context_window_exceeded: 'length',
    refusal: 'content_filter',
  }
  return known[reason] ?? 'stop'
}

function readUsage(usage: Json): Extract<Reading, { usage: unknown }>['usage'] {
  const input = number(usage, 'input_tokens')
  const output = number(usage, 'output_tokens')
  if (input === undefined || output === undefined) return null
  const cacheRead = number(usage, 'cache_read_input_tokens') ?? 0
  const cacheWrite = number(usage, 'cache_creation_input_tokens') ?? 0
  return {
    input: input + cacheRead + cacheWrite,
    output,
    cacheRead,
    cacheWrite,
    reasoning: number(at(usage, 'output_tokens_details'), 'thinking_tokens') ?? 0,
    cost: null,
  }
}
