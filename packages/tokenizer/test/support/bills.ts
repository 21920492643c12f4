import { existsSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { ChatMessage } from '../../src/chat/chat-message.ts'
import { countChatTokens } from '../../src/chat/count-chat-tokens.ts'
import { valuesOfJson } from '../../src/chat/values-of-json.ts'
import { counterForModel } from '../../src/counter/counter-for-model.ts'
import type { CounterName } from '../../src/counter/counter-name.ts'
import type { TokenCount } from '../../src/counter/token-count.ts'
import { createCounterStore } from '../../src/pool/counter-store.ts'
import type { VocabularyFiles } from '../../src/vocabulary/vocabulary-store.ts'

/** Recorded requests with what was billed for them, where they are next to a checkout. */
export const billsFile: URL = new URL(
  '../../../../../shared/data/oracle/usage.jsonl.gz',
  import.meta.url,
)

/** A recorded request: `s` is its source, `a` its wire, `m` the model, `in` the billed input tokens. */
export type RecordedRequest = {
  readonly s: string
  readonly a: string
  readonly m: string
  readonly in: number
  readonly ms: readonly ChatMessage[]
  readonly tools?: readonly unknown[]
  readonly rf?: unknown
  readonly media?: number
}

/** A recorded request and its count. */
export type Bill = {
  readonly counter: CounterName
  readonly family: string
  readonly kind: 'plain' | 'tools' | 'format'
  /** From an odd line: factors and framing were not fitted to it. */
  readonly judged: boolean
  readonly request: RecordedRequest
  readonly count: TokenCount
}

export const hasBills: boolean = existsSync(billsFile)

/** The bills of requests without images, whose tokens are counted elsewhere. */
export function readBills(vocabularies: VocabularyFiles = {}): readonly Bill[] {
  const store = createCounterStore({ vocabularies, factors: {} })
  const lines = gunzipSync(readFileSync(billsFile)).toString('utf8').split('\n').filter(Boolean)
  return lines.flatMap((line, index): readonly Bill[] => {
    const request = asMessages(JSON.parse(line))
    if ((request.media ?? 0) > 0) return []
    const counter = isSubstituted(request) ? 'gemini' : counterForModel(request.m)
    const wire = request.a === 'responses' ? 'responses' : 'chat'
    const extras = { tools: request.tools, responseFormat: request.rf, wire } as const
    const count = countChatTokens(request.ms, store.counterOf(counter), extras)
    const judged = index % 2 === 1
    return [
      {
        counter,
        family: familyOf(request, counter),
        kind: kindOf(request),
        judged,
        request,
        count,
      },
    ]
  })
}

/**
 * Asked for the retired `gemini-2.0-flash`, Google answered these with a model that thinks, which 2.0 does not:
 * their usage has tokens of thought, and their bill is that of a later model.
 */
function isSubstituted({ s }: RecordedRequest): boolean {
  return s.includes('/test_sub_agent_session_id_not_overwritten_by_adk_internal_uuid.yaml')
}

/**
 * Gemini's wire has a result as an object, which was recorded as JSON. One that holds a single text is what a
 * message with that text is sent as; of any other, Google bills the keys and values.
 */
function asMessages(request: RecordedRequest): RecordedRequest {
  if (request.a !== 'gemini') return request
  const ms = request.ms.map((message) => {
    if (message.role !== 'tool' || typeof message.content !== 'string') return message
    const [value, ...others] = Object.values(JSON.parse(message.content) as object)
    const isText = typeof value === 'string' && others.length === 0
    return { ...message, content: isText ? value : valuesOfJson(message.content) }
  })
  return { ...request, ms }
}

/** Some hosts drop tools or an assistant's reasoning, and bill less than a tenth of the count. */
export function isDropped({ count, request }: Bill): boolean {
  return count.tokens > 10 * request.in
}

/** DeepSeek's Responses wire bills text that a request only refers to. */
export function hasHiddenState({ counter, request }: Bill): boolean {
  return request.a === 'responses' && counter === 'deepseek'
}

/** OpenAI's Responses wire bills tools otherwise than its chat wire, which Farebox calls. */
function familyOf({ a }: RecordedRequest, counter: CounterName): string {
  return counter.startsWith('openai') && a === 'responses' ? `${counter} (Responses)` : counter
}

function kindOf({ ms, tools = [], rf }: RecordedRequest): Bill['kind'] {
  if (rf !== undefined) return 'format'
  const hasCalls = ms.some(({ role, tool_calls }) => role === 'tool' || tool_calls !== undefined)
  return tools.length > 0 || hasCalls ? 'tools' : 'plain'
}
