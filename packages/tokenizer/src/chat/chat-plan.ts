import type { FormatFraming, Framing, ToolFraming } from '../counter/framing.ts'
import type { TokenCount } from '../counter/token-count.ts'
import { countImageTokens } from '../images/count-image-tokens.ts'
import { imageSizeOfUrl } from '../images/image-size-of-url.ts'
import type { ChatExtras, ChatMessage, ContentPart, MessageToolCall } from './chat-message.ts'
import { jsonOf } from './json-of.ts'
import { renderFormat } from './render-format.ts'
import { renderTools } from './render-tools.ts'
import { requireContent, requireMessages } from './require-messages.ts'
import { requireTools } from './require-tools.ts'
import { valuesOfJson } from './values-of-json.ts'

/** A chat split into the texts to count, the weight of each, and the tokens that the family adds. */
export type ChatPlan = {
  readonly texts: readonly string[]
  /** In the order of `texts`. */
  readonly weights: readonly TextWeight[]
  readonly framing: TokenCount
}

/** Billed tokens per token of a text: in the best count, and in the upper bound. */
export type TextWeight = { readonly likely: number; readonly atMost: number }

/** Tokens of the framing: the best count, and how much higher the upper bound is. */
type Total = { tokens: number; slack: number }

type Draft = {
  readonly texts: string[]
  readonly weights: TextWeight[]
  readonly total: Total
  /** UTF-16 units of arguments that may still be parsed here. */
  parsable: number
}

const plainRoles: ReadonlySet<string> = new Set(['system', 'user', 'assistant'])

const asIs: TextWeight = { likely: 1, atMost: 1 }

/** UTF-16 units of tools and arguments that are rendered on the caller's thread; more stay JSON. */
const renderedUnits = 128 << 10

/** Of tools that are not rendered: their JSON, with room for a template that indents it. */
const unrendered: TextWeight = { likely: 1, atMost: 1.5 }

/** A template may escape what is not ASCII: `\u7684` is up to six tokens. */
const perEscape = 6

/**
 * Splits a chat into texts. Special tokens separate messages, so each text is counted on its own
 * and the sum is exact. Tools, tool calls, formats, images and lists of parts are estimates for
 * every family.
 */
export function planChat(
  messages: readonly ChatMessage[],
  framing: Framing,
  extras: ChatExtras,
): ChatPlan {
  const total = { tokens: framing.fixed, slack: framing.slack.fixed }
  const draft: Draft = { texts: [], weights: [], total, parsable: renderedUnits }
  let exact = framing.source === 'published'
  for (const message of requireMessages(messages)) {
    addMessage(draft, message, framing)
    addImages(draft, message, extras.model ?? '')
    exact &&= isPlain(message)
  }
  const { tools, responsesTools = tools } = framing
  const toolFraming = extras.wire === 'responses' ? responsesTools : tools
  if (addTools(draft, requireTools(extras), toolFraming)) exact = false
  const { wire = 'chat' } = extras
  const format = framing.formatOn?.[wire] ?? framing.format
  if (addFormat(draft, extras.responseFormat, format)) exact = false
  const { texts, weights } = draft
  const { tokens } = total
  const upperBound = exact ? tokens : tokens + total.slack
  return {
    texts,
    weights,
    framing: { tokens, method: exact ? 'exact' : 'estimate', upperBound },
  }
}

/** Combines the counts of the texts, in the order of `plan.texts`, into the count of the chat. */
export function sumChat(plan: ChatPlan, counts: Iterable<TokenCount>): TokenCount {
  let { tokens, method, upperBound } = plan.framing
  let index = 0
  for (const count of counts) {
    const { likely, atMost } = plan.weights[index] ?? asIs
    tokens += count.tokens * likely
    upperBound += count.upperBound * atMost
    if (count.method === 'estimate') method = 'estimate'
    index += 1
  }
  const rounded = Math.max(0, Math.round(tokens))
  return { tokens: rounded, method, upperBound: Math.max(rounded, Math.ceil(upperBound)) }
}

function addMessage(draft: Draft, message: ChatMessage, framing: Framing): void {
  const { total } = draft
  const isResult = message.role === 'tool' || message.role === 'function'
  if (isResult) addFraming(draft, framing.calls.likely.result, framing.calls.atMost.result)
  else {
    total.tokens += tokensOfRole(message.role, framing)
    total.slack += framing.slack.message
  }
  addName(draft, message, framing)
  addContent(draft, message, isResult ? weightOfCalls(framing) : asIs)
  addReasoning(draft, message)
  if (message.tool_call_id !== undefined) addId(draft, message.tool_call_id, framing)
  for (const call of message.tool_calls ?? []) addCall(draft, call, framing)
  const { function_call: call } = message
  if (call !== undefined && call !== null) addCall(draft, { function: call }, framing)
}

function tokensOfRole(role: string, { roles = {}, message }: Framing): number {
  return (Object.hasOwn(roles, role) ? roles[role] : undefined) ?? message
}

/** GPT-4o bills a name that repeats the role, such as `user`, one token less. */
function addName({ texts, weights, total }: Draft, message: ChatMessage, framing: Framing): void {
  if (message.name === undefined) return
  const repeats = message.name === message.role ? 1 : 0
  total.tokens += framing.name - repeats
  total.slack += repeats
  texts.push(message.name)
  weights.push(asIs)
}

/** What the model thought before, and what it refused: each string counts like a text. */
function addReasoning(draft: Draft, message: ChatMessage): void {
  const { refusal, reasoning, reasoning_content, reasoning_details } = message
  const steps = (reasoning_details ?? []).flatMap((detail) => Object.values(detail))
  for (const text of [refusal, reasoning, reasoning_content, ...steps]) {
    if (typeof text === 'string' && text !== '') addText(draft, text, asIs)
  }
}

function addContent(draft: Draft, { content }: ChatMessage, weight: TextWeight): void {
  const parts = typeof content === 'string' ? [{ text: content }] : requireContent(content)
  for (const { text } of parts) {
    if (text !== undefined) addText(draft, text, weight)
  }
}

function addImages(draft: Draft, { content }: ChatMessage, model: string): void {
  const parts: readonly ContentPart[] = typeof content === 'string' ? [] : (content ?? [])
  for (const { image_url: image } of parts) {
    if (image === undefined) continue
    const size = imageSizeOfUrl(image.url)
    const { tokens, upperBound } = countImageTokens(model, { size, detail: image.detail })
    addFraming(draft, tokens, upperBound)
  }
}

function addCall(draft: Draft, call: MessageToolCall, framing: Framing): void {
  addFraming(draft, framing.calls.likely.call, framing.calls.atMost.call)
  if (call.id !== undefined) addId(draft, call.id, framing)
  if (call.function === undefined) return
  const weight = weightOfCalls(framing)
  addText(draft, call.function.name, weightOfName(framing, weight))
  if (call.function.arguments === undefined) return
  const text = argumentsText(draft, call.function.arguments, framing)
  addText(draft, text, weight)
  if (framing.tools.writtenAs === 'json') draft.total.slack += perEscape * countEscapes(text)
}

function argumentsText(draft: Draft, json: string, { calls }: Framing): string {
  if (calls.writtenAs === 'json' || json.length > draft.parsable) return json
  draft.parsable -= json.length
  return valuesOfJson(json)
}

/** Where the values are written, a result begins with the name of its call. */
function weightOfName({ calls }: Framing, { likely, atMost }: TextWeight): TextWeight {
  const times = calls.writtenAs === 'values' ? 2 : 1
  return { likely: likely * times, atMost: atMost * times }
}

function addId(draft: Draft, id: string, { calls }: Framing): void {
  // Families that bill no ids are not known to do so forever: the bound covers long ones.
  const { unbilledId = 0 } = calls
  if (id.length > unbilledId) addText(draft, id, { likely: calls.id, atMost: 1 })
}

function addTools(draft: Draft, tools: readonly unknown[], framing: ToolFraming): boolean {
  if (tools.length === 0) return false
  const { likely, atMost, writtenAs } = framing
  const json = jsonOf(tools)
  if (writtenAs === 'json') {
    draft.total.slack += perEscape * (countEscapes(json) + countControls(json))
  }
  if (json.length > renderedUnits) {
    addFraming(draft, likely.request, atMost.request)
    addText(draft, json, unrendered)
    return true
  }
  const rendered = renderTools(tools, writtenAs)
  const { text, rest, properties, members, schemas, references, lines } = rendered
  addFraming(
    draft,
    likely.request + likely.tool * tools.length + likely.property * properties,
    atMost.request +
      atMost.tool * tools.length +
      atMost.member * members +
      (atMost.schema ?? 0) * schemas +
      (atMost.line ?? 0) * lines,
  )
  const written = atMost.text + references * (atMost.reference ?? 0)
  addText(draft, text, { likely: likely.text, atMost: written })
  if (rest !== '') addText(draft, rest, { likely: 0, atMost: atMost.rest })
  return true
}

function addFormat(draft: Draft, responseFormat: unknown, framing: FormatFraming): boolean {
  const { writtenAs, likely, atMost } = framing
  const rendered = renderFormat(responseFormat, writtenAs)
  if (rendered === undefined) return false
  const { text, rest } = rendered
  addFraming(draft, likely.request, atMost.request)
  if (writtenAs === 'schema') draft.total.slack += perEscape * countEscapes(text)
  if (text !== '') addText(draft, text, { likely: likely.text, atMost: atMost.text })
  if (rest !== '') addText(draft, rest, { likely: 0, atMost: atMost.text })
  return true
}

function weightOfCalls({ calls }: Framing): TextWeight {
  return { likely: calls.likely.text, atMost: calls.atMost.text }
}

function addText({ texts, weights }: Draft, text: string, weight: TextWeight): void {
  texts.push(text)
  weights.push(weight)
}

function addFraming({ total }: Draft, likely: number, atMost: number): void {
  total.tokens += likely
  total.slack += atMost - likely
}

function countEscapes(text: string): number {
  if (!/[\u0080-\uffff]/.test(text)) return 0
  let escapes = 0
  for (let index = 0; index < text.length; index += 1) {
    if (text.charCodeAt(index) >= 0x80) escapes += 1
  }
  return escapes
}

/** Control characters are longer in JSON than in the caller's texts. */
function countControls(json: string): number {
  let controls = 0
  for (let at = json.indexOf('\\u00'); at >= 0; at = json.indexOf('\\u00', at + 6)) controls += 1
  return controls
}

function isPlain(message: ChatMessage): boolean {
  return (
    plainRoles.has(message.role) &&
    typeof message.content === 'string' &&
    message.name !== message.role &&
    (message.tool_calls ?? undefined) === undefined &&
    hasNoReasoning(message) &&
    message.tool_call_id === undefined &&
    (message.function_call ?? undefined) === undefined
  )
}

/** OpenAI's answers have `null` for no refusal. */
function hasNoReasoning(message: ChatMessage): boolean {
  const { refusal, reasoning, reasoning_content, reasoning_details } = message
  return (refusal ?? reasoning ?? reasoning_content ?? reasoning_details ?? undefined) === undefined
}
