import { type ChatChunk, type ChatCompletion, chatCompletionSchema } from '@farebox/api'
import { formatDecimal } from '@farebox/money'
import type { Usage } from '@farebox/pricing'
import {
  type ChatProvider,
  collectCompletion,
  relayEventStream,
  UpstreamError,
} from '../../src/index.ts'
import { chatCall } from '../support/call.ts'
import { chunksOf, memorySink } from '../support/memory-sink.ts'
import {
  type ChoiceReading,
  distinctSeals,
  dollars,
  parsedArguments,
  type Reading,
  type UsageReading,
} from './reading.ts'

type Message = ChatCompletion['choices'][number]['message']
type Choice = { readonly message: Message; readonly finish: string }

/** The response as a client without `stream` gets it. */
export async function collectedReading(provider: ChatProvider, n: number): Promise<Reading> {
  return reading(async () => {
    const outcome = await collectCompletion(await provider.open(recordedCall(n)))
    const { choices } = chatCompletionSchema.parse(outcome.completion(null))
    return {
      usage: outcome.usage,
      choices: choices.map(({ message, finish_reason }) => ({
        message,
        finish: finish_reason ?? '',
      })),
    }
  })
}

/** The response as a streaming client gets it. */
export async function relayedReading(provider: ChatProvider, n: number): Promise<Reading> {
  return reading(async () => {
    const sink = memorySink()
    const outcome = await relayEventStream(await provider.open(recordedCall(n)), sink)
    if (outcome.status === 'truncated') throw outcome.error
    if (outcome.status !== 'complete') throw new Error(outcome.status)
    return {
      usage: outcome.usage,
      choices: assembled(chunksOf([...sink.texts, outcome.finalChunk(null)])),
    }
  })
}

function recordedCall(n: number) {
  return chatCall('hello', { maxTokens: 128_000, request: n > 1 ? { n } : {} })
}

async function reading(
  read: () => Promise<{ readonly choices: readonly Choice[]; readonly usage: Usage | null }>,
): Promise<Reading> {
  try {
    const { choices, usage } = await read()
    return { choices: choices.map(choiceReading), usage: usage && usageReading(usage) }
  } catch (error) {
    if (error instanceof UpstreamError) return { error: error.code }
    throw error
  }
}

function choiceReading({ message, finish }: Choice): ChoiceReading {
  return {
    text: message.content ?? '',
    reasoning: message.reasoning ?? '',
    refusal: message.refusal ?? '',
    calls: (message.tool_calls ?? []).map(({ id, function: { name, arguments: args } }) => ({
      id,
      name,
      arguments: parsedArguments(args),
    })),
    seals: sealsOf(message),
    finish,
  }
}

function sealsOf(message: Message): ReturnType<typeof distinctSeals> {
  const calls = message.tool_calls ?? []
  const details = message.reasoning_details ?? []
  return distinctSeals(
    details.flatMap(({ signature, data, id }) => {
      const seal = signature || data
      if (typeof seal !== 'string') return []
      const call = calls.findIndex((one) => one.id === id)
      return [{ seal, call: call < 0 ? null : call }]
    }),
  )
}

function usageReading(usage: Usage): UsageReading {
  return {
    input: usage.inputTokens,
    output: usage.outputTokens,
    cacheRead: usage.cacheReadTokens,
    cacheWrite: usage.cacheWriteTokens,
    reasoning: usage.reasoningTokens,
    cost:
      usage.reportedCost === undefined
        ? null
        : dollars(Number(formatDecimal(usage.reportedCost, 12))),
  }
}

/** Puts chunks together as OpenAI's clients do. */
function assembled(chunks: readonly ChatChunk[]): readonly Choice[] {
  const choices = new Map<number, { message: Message; finish: string }>()
  for (const { index, delta, finish_reason } of chunks.flatMap((chunk) => chunk.choices)) {
    const choice = choices.get(index) ?? {
      message: { role: 'assistant', content: '', tool_calls: [], reasoning_details: [] },
      finish: '',
    }
    choices.set(index, choice)
    const { message } = choice
    choice.finish = finish_reason ?? choice.finish
    choice.message = {
      ...message,
      content: (message.content ?? '') + (delta.content ?? ''),
      reasoning: (message.reasoning ?? '') + (delta.reasoning ?? ''),
      refusal: (message.refusal ?? '') + (delta.refusal ?? ''),
      reasoning_details: [...(message.reasoning_details ?? []), ...(delta.reasoning_details ?? [])],
      tool_calls: withCalls(message.tool_calls ?? [], delta.tool_calls ?? []),
    }
  }
  return [...choices].sort(([a], [b]) => a - b).map(([, choice]) => choice)
}

type Calls = NonNullable<Message['tool_calls']>
type CallDeltas = NonNullable<ChatChunk['choices'][number]['delta']['tool_calls']>

function withCalls(calls: Calls, deltas: CallDeltas): Calls {
  const next = [...calls]
  for (const { index, id, function: part } of deltas) {
    const call = next[index] ?? { id: '', type: 'function', function: { name: '', arguments: '' } }
    next[index] = {
      id: call.id || (id ?? ''),
      type: 'function',
      function: {
        name: call.function.name || (part?.name ?? ''),
        arguments: call.function.arguments + (part?.arguments ?? ''),
      },
    }
  }
  return next
}
