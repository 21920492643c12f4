import type { CallFraming, FormatFraming, Framing, ToolFraming } from './framing.ts'

/**
 * Google's own counter takes the name of a call and the keys and values of its arguments, and the
 * name again with its result: github.com/googleapis/python-genai, google/genai/local_tokenizer.py.
 */
const geminiCalls: CallFraming = {
  writtenAs: 'values',
  id: 0,
  unbilledId: 64,
  likely: { call: 2, result: 2, text: 1 },
  atMost: { call: 10, result: 2, text: 1 },
}

const geminiTools: ToolFraming = {
  writtenAs: 'json',
  likely: { request: 0, tool: 0, property: 10, text: 0.55 },
  atMost: { request: 2, tool: 0, member: 1, schema: 12.2, text: 0, rest: 1, reference: 0.1 },
}

/**
 * On Google's own API no recorded bill of 2.5, 3 and 3.6 has its response schema, whichever field it
 * was sent in. Its counter adds the values of `responseSchema`, and its documentation says that the
 * schema counts towards the input limit, so the bound has the values of a schema of that form:
 * https://ai.google.dev/gemini-api/docs/structured-output
 */
const geminiFormat: FormatFraming = {
  writtenAs: 'values',
  likely: { request: 0, text: 0 },
  atMost: { request: 0, text: 1 },
}

/**
 * Vertex AI bills the schema that Google's own API does not: 65 tokens for one whose JSON has 33, in
 * recordings of github.com/crmne/ruby_llm, 2026-08-19. The bound, `text` times that of the JSON, has
 * room for JSON that is indented, 2.4 times as many tokens.
 */
function formatsElsewhere(text: number): Pick<Framing, 'formatOn'> {
  const vertex: FormatFraming = {
    writtenAs: 'schema',
    likely: { request: 32, text: 1 },
    atMost: { request: 40, text },
  }
  return { formatOn: { vertex, router: { ...vertex, likely: geminiFormat.likely } } }
}

/**
 * Google bills the content, with references of tools expanded. With Gemma 3's vocabulary, bills of
 * chats without tools have at most a token more a message, none on Vertex AI.
 */
export const geminiFraming: Framing = {
  message: 0,
  name: 1,
  fixed: 1,
  source: 'fitted',
  slack: { message: 1, fixed: 0 },
  tools: geminiTools,
  calls: geminiCalls,
  format: geminiFormat,
  ...formatsElsewhere(1.5),
}

/** With Gemma 3's vocabulary texts are exact, so no margin of theirs covers what is added to them. */
export const gemmaFraming: Framing = {
  ...geminiFraming,
  slack: { message: 1, fixed: 8 },
  tools: {
    ...geminiTools,
    atMost: { request: 0, tool: 8, member: 1, schema: 15, text: 0, rest: 1.1, reference: 0.19 },
  },
  calls: { ...geminiCalls, atMost: { call: 15, result: 4, text: 1 } },
  ...formatsElsewhere(2.5),
}

/**
 * Gemini 2.0 bills tools as Google's own counter takes them: names, descriptions, the keys of
 * properties, and what `enum` and `required` list; and their types. So it bills `responseSchema`, and
 * nothing of `responseJsonSchema`: the same test of github.com/pydantic/pydantic-ai was billed 50
 * tokens with the one, and 9, those of its text, with the other.
 */
export const gemini2Framing: Framing = {
  ...geminiFraming,
  fixed: 0,
  tools: {
    writtenAs: 'values',
    likely: { request: 0, tool: 0, property: 0, text: 1 },
    atMost: { request: 0, tool: 0, member: 0, text: 1, rest: 0, reference: 0.25 },
  },
  calls: {
    ...geminiCalls,
    likely: { call: 0, result: 2, text: 1 },
    atMost: { call: 1, result: 3, text: 1 },
  },
  format: { ...geminiFormat, likely: { request: 0, text: 1 } },
}
