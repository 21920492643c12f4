import { type Instructions, numberFrom, withoutInstructions } from '../wire/instructions.ts'
import { seededBy } from '../wire/seeded.ts'
import { isRecord, recordsOf, textOf, type WireRecord, wholeNumber } from '../wire/wire-reading.ts'
import { type AnswerExtras, writeAnswerExtras } from './answer-extras.ts'
import { sampleFromSchema } from './sample-from-schema.ts'
import { chooseToolCalls, resultsAtEnd, type ToolCall } from './tool-calls.ts'

/** One token of a completion. In the sandbox a token is a word with the space before it. */
export type ScriptToken = { readonly kind: 'reasoning' | 'content'; readonly text: string }

/** The content of one choice, decided before its first token is sent. */
export type ChoiceScript = AnswerExtras & {
  readonly tokens: readonly ScriptToken[]
  readonly calls: readonly ToolCall[]
  readonly finishReason: string
}

/** The completion of a chat request. */
export type ChatScript = {
  readonly choices: readonly ChoiceScript[]
  readonly promptTokens: number
  readonly completionTokens: number
  readonly reasoningTokens: number
}

export type ScriptOptions = {
  readonly seed: string
  /** Counts the tokens of a request. Defaults to counting words: no tokenizer counts fewer. */
  readonly countPromptTokens?: (messages: readonly WireRecord[]) => number
}

/** Writes the completion of a request. Equal requests get equal completions. */
export async function writeChatScript(
  body: WireRecord,
  instructions: Instructions,
  options: ScriptOptions,
): Promise<ChatScript> {
  const messages = recordsOf(body['messages'])
  const count = Math.min(8, Math.max(1, wholeNumber(body['n'], 1)))
  const key = JSON.stringify([options.seed, body['model'], body['messages'], body['seed']])
  const choices = await Promise.all(
    Array.from({ length: count }, (_, index) => writeChoice(body, instructions, `${key}#${index}`)),
  )
  const tokens = choices.flatMap((choice) => choice.tokens)
  const toolTokens = choices.flatMap(({ calls }) => calls).flatMap(callTokens).length
  return {
    choices,
    promptTokens: (options.countPromptTokens ?? countWords)(messages),
    completionTokens: tokens.length + toolTokens,
    reasoningTokens: tokens.filter(({ kind }) => kind === 'reasoning').length,
  }
}

async function writeChoice(
  body: WireRecord,
  instructions: Instructions,
  key: string,
): Promise<ChoiceScript> {
  const cap = wholeNumber(body['max_completion_tokens'] ?? body['max_tokens'], 4096)
  const reasoning = words(thoughts(body, instructions, key)).slice(0, cap)
  const thought = reasoning.map((text) => ({ kind: 'reasoning' as const, text }))
  const calls = chooseToolCalls(body, instructions, key)
  if (calls.length > 0) {
    return { tokens: thought, calls, annotations: [], images: [], finishReason: 'tool_calls' }
  }
  const text = answerText(body, instructions, key)
  const stopped = cutAtStop(text, body['stop'])
  const limit = numberFrom(instructions, 'tokens')
  const content = isJsonWanted(body) ? pieces(stopped) : words(stopped)
  const whole: readonly ScriptToken[] = [
    ...thought,
    ...(limit === undefined ? content : content.slice(0, limit)).map((piece) => ({
      kind: 'content' as const,
      text: piece,
    })),
  ]
  const isCut = whole.length > cap
  const reason = instructions.get('finish') ?? (isCut ? 'length' : 'stop')
  const extras = await writeAnswerExtras(stopped, instructions)
  return { tokens: whole.slice(0, cap), calls: [], ...extras, finishReason: reason }
}

const opening =
  'This is the Farebox sandbox. No model ran; this text was written by a rule, so that payments, streams and refunds can be tried offline.'

const sentences = [
  'Every word that you read arrived on its own, as a model would send it.',
  'The price of this answer is counted from these words, and what they did not cost is refunded to you.',
  'The same request gets the same words again.',
  'Ask for fewer tokens and the answer ends sooner, with the reason "length".',
  'Set a provider key, and real models answer instead.',
  'Nothing that you wrote has left this machine.',
  'The tokens of the sandbox are words, each with the space before it.',
] as const

function answerText(body: WireRecord, instructions: Instructions, key: string): string {
  const format = body['response_format']
  if (isRecord(format) && format['type'] === 'json_object') {
    return JSON.stringify({ sandbox: true, note: opening })
  }
  if (isRecord(format) && format['type'] === 'json_schema') {
    const schema = isRecord(format['json_schema']) ? format['json_schema']['schema'] : undefined
    return JSON.stringify(sampleFromSchema(schema))
  }
  const asked = withoutInstructions(lastUserText(body))
  if (instructions.has('echo')) return asked
  const random = seededBy(key)
  const target = numberFrom(instructions, 'tokens') ?? 40 + Math.floor(random() * 81)
  const text = [
    opening,
    ...toolAnswer(body),
    `You asked in ${asked.length} character${asked.length === 1 ? '' : 's'}.`,
  ]
  let length = words(text.join(' ')).length
  let unsaid: readonly string[] = []
  while (length < target) {
    if (unsaid.length === 0) unsaid = sentences
    const sentence = unsaid[Math.floor(random() * unsaid.length)] ?? opening
    unsaid = unsaid.filter((other) => other !== sentence)
    text.push(sentence)
    length += words(sentence).length
  }
  return text.join(' ')
}

/** Reasoning text, for models with a reasoning name, and for any model if the request asks for it. */
function thoughts(body: WireRecord, instructions: Instructions, key: string): string {
  const asked = numberFrom(instructions, 'reasoning')
  const effort = body['reasoning_effort']
  const reasons =
    (typeof effort === 'string' && effort !== 'none') ||
    /reason|think|(^|[/-])r1\b|(^|\/)o[134]\b/i.test(String(body['model']))
  const length = asked ?? (reasons ? 8 + Math.floor(seededBy(`${key}?`)() * 13) : 0)
  const rule = 'The sandbox pretends to think here: it only follows a rule.'
  const repeated = Array.from({ length: Math.ceil(length / 10) }, () => rule).join(' ')
  return words(repeated).slice(0, length).join('')
}

/** The tokens of a tool call: its name and pieces of its arguments. */
function callTokens({ name, arguments: args }: ToolCall): readonly string[] {
  return [name, ...pieces(args)]
}

/** The last results of the tools are part of the answer, as in a model's answer. */
function toolAnswer(body: WireRecord): readonly string[] {
  const results = resultsAtEnd(body).map(({ content }) => textOf(content))
  return results.length === 0 ? [] : [`The tools answered: ${results.join('; ').slice(0, 500)}.`]
}

function lastUserText(body: WireRecord): string {
  const message = recordsOf(body['messages']).findLast(({ role }) => role === 'user')
  return textOf(message?.['content'])
}

function isJsonWanted(body: WireRecord): boolean {
  const format = body['response_format']
  return isRecord(format) && format['type'] !== 'text'
}

function cutAtStop(text: string, stop: unknown): string {
  const marks = (Array.isArray(stop) ? stop : [stop]).filter((mark) => typeof mark === 'string')
  const cuts = marks.map((mark) => text.indexOf(mark)).filter((at) => at >= 0)
  return cuts.length === 0 ? text : text.slice(0, Math.min(...cuts))
}

/** In text without a word, the pattern would look for one from each of its spaces. */
function words(text: string): readonly string[] {
  return text.trim() === '' ? [] : (text.match(/\s*\S+(?:\s+$)?/g) ?? [])
}

/** JSON has few spaces, so a token of JSON is four characters. */
export function pieces(text: string): readonly string[] {
  return text.match(/[\s\S]{1,4}/gu) ?? []
}

function countWords(messages: readonly WireRecord[]): number {
  const count = messages.reduce((sum, message) => sum + words(textOf(message['content'])).length, 0)
  return Math.max(1, count)
}
