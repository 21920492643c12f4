import { type Instructions, withoutInstructions } from '../wire/instructions.ts'
import { seededBy } from '../wire/seeded.ts'
import { isRecord, recordsOf, textOf, type WireRecord } from '../wire/wire-reading.ts'
import { sampleFromSchema } from './sample-from-schema.ts'

export type ToolCall = { readonly id: string; readonly name: string; readonly arguments: string }

/**
 * The calls of an answer. A tool is called when it must be, when an instruction asks for it, or
 * when the user's text names what it does; once the tools have answered, the model answers as text.
 */
export function chooseToolCalls(
  body: WireRecord,
  instructions: Instructions,
  key: string,
): readonly ToolCall[] {
  const tools = recordsOf(body['tools'])
    .map((tool) => tool['function'])
    .filter(isRecord)
  const asked = withoutInstructions(
    textOf(recordsOf(body['messages']).findLast(({ role }) => role === 'user')?.['content']),
  )
  return chosenTools(body, instructions, { tools, asked }).map((tool, position) => ({
    id: `call_${Math.floor(seededBy(`${key}@${position}`)() * 1e9).toString(36)}`,
    name: String(tool['name']),
    arguments: JSON.stringify(sampleFromSchema(tool['parameters'], { numbers: numbersIn(asked) })),
  }))
}

/** The tool messages after the last assistant message. Clients add reminders as user messages. */
export function resultsAtEnd(body: WireRecord): readonly WireRecord[] {
  const messages = recordsOf(body['messages'])
  const before = messages.findLastIndex(({ role }) => role === 'assistant')
  return messages.slice(before + 1).filter(({ role }) => role === 'tool')
}

type Choice = { readonly tools: readonly WireRecord[]; readonly asked: string }

function chosenTools(
  body: WireRecord,
  instructions: Instructions,
  { tools, asked }: Choice,
): readonly WireRecord[] {
  const choice = body['tool_choice']
  if (choice === 'none') return []
  if (isRecord(choice) && isRecord(choice['function'])) {
    const name = choice['function']['name']
    return tools.filter((tool) => tool['name'] === name).slice(0, 1)
  }
  const named = tools.filter((tool) => isAskedFor(tool, asked))
  const fitting = body['parallel_tool_calls'] === false ? named.slice(0, 1) : named
  if (choice === 'required') return demandedTools(fitting, tools, calledNames(body))
  if (resultsAtEnd(body).length > 0) return []
  const demanded = instructions.has('tool') || (tools.length === 1 && isDemanded(body))
  return fitting.length === 0 && demanded ? tools.slice(0, 1) : fitting
}

/** Tools without a result come first: an agent may have to call each, and its last tool ends it. */
function demandedTools(
  fitting: readonly WireRecord[],
  tools: readonly WireRecord[],
  called: ReadonlySet<unknown>,
): readonly WireRecord[] {
  const isNew = ({ name }: WireRecord): boolean => !called.has(name)
  const next = fitting.filter(isNew)
  return next.length > 0 ? next : [...tools.filter(isNew), ...tools].slice(0, 1)
}

/** The tools that were called since the last question. */
function calledNames(body: WireRecord): ReadonlySet<unknown> {
  if (resultsAtEnd(body).length === 0) return new Set()
  const messages = recordsOf(body['messages'])
  const question = messages.findLastIndex(
    ({ role }, at) => role === 'user' && messages[at - 1]?.['role'] !== 'tool',
  )
  const calls = messages.slice(question + 1).flatMap((message) => recordsOf(message['tool_calls']))
  return new Set(calls.map((call) => (isRecord(call['function']) ? call['function']['name'] : '')))
}

/** Whether a system message says that a tool must be called. */
function isDemanded(body: WireRecord): boolean {
  return recordsOf(body['messages'])
    .filter(({ role }) => role === 'system' || role === 'developer')
    .flatMap(({ content }) => textOf(content).split('.'))
    .some((sentence) => {
      const demand = sentence.search(/\b(must|always)\b/i)
      return demand >= 0 && /\b(call|use)\b/i.test(sentence.slice(demand))
    })
}

/** Words in tool names that do not describe what a tool does. */
const commonWords = new Set(['call', 'find', 'tool', 'function', 'with', 'from'])

/** Whether the text has a word of the tool's name, such as "weather" of `get_weather`. */
function isAskedFor({ name }: WireRecord, asked: string): boolean {
  const given = new Set(wordsOf(asked))
  return wordsOf(String(name)).some((word) => !commonWords.has(word) && given.has(word))
}

/** Words of four letters and more in lower case; `getWeather` and `get_weather` are two words each. */
function wordsOf(text: string): readonly string[] {
  const spaced = text.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
  return spaced.match(/\p{L}{4,}/gu) ?? []
}

function numbersIn(text: string): readonly number[] {
  return (text.match(/-?\d+(?:\.\d+)?/g) ?? []).map(Number)
}
