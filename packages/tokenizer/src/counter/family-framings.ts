import type { CallFraming, FormatFraming, Framing, ToolFraming } from './framing.ts'

const noSlack = { message: 0, fixed: 0 }

/** For a family without recorded tools: JSON, and a bound above the most expensive measured family. */
const unknownTools: ToolFraming = {
  writtenAs: 'json',
  likely: { request: 120, tool: 12, property: 0, text: 1 },
  atMost: { request: 720, tool: 40, member: 6, text: 0, rest: 1.25 },
}

const unknownCalls: CallFraming = {
  writtenAs: 'json',
  id: 1,
  likely: { call: 8, result: 4, text: 1 },
  atMost: { call: 40, result: 24, text: 1.5 },
}

const unknownFormat: FormatFraming = {
  writtenAs: 'json',
  likely: { request: 12, text: 1 },
  atMost: { request: 256, text: 2 },
}

const openaiCalls: CallFraming = {
  writtenAs: 'json',
  id: 0,
  unbilledId: 64,
  likely: { call: 5, result: 6, text: 1 },
  atMost: { call: 26, result: 8, text: 1.1 },
}

const openaiFormat: FormatFraming = {
  writtenAs: 'json',
  likely: { request: 2, text: 0.75 },
  atMost: { request: 16, text: 1.25 },
}

/** OpenAI cookbook, "How to count tokens with tiktoken": 3 per message, its role, 3 for the reply. */
export const openaiFraming: Framing = {
  message: 4,
  name: 1,
  fixed: 3,
  source: 'published',
  slack: noSlack,
  tools: {
    writtenAs: 'declarations',
    likely: { request: 8, tool: 0, property: 0, text: 1 },
    atMost: { request: 20, tool: 2, member: 1, text: 1.1, rest: 1.1 },
  },
  calls: openaiCalls,
  format: openaiFormat,
}

/** The chat wire bills 80 tokens more than the Responses wire for the same tools. */
export const openaiReasoningFraming: Framing = {
  message: 4,
  name: 1,
  fixed: 2,
  source: 'fitted',
  slack: { message: 2, fixed: 24 },
  tools: {
    writtenAs: 'declarations',
    likely: { request: 90, tool: 0, property: 0, text: 1 },
    atMost: { request: 100, tool: 2, member: 1, text: 1.1, rest: 1.1, line: 2 },
  },
  responsesTools: {
    writtenAs: 'declarations',
    likely: { request: 8, tool: 0, property: 0, text: 1.03 },
    atMost: { request: 22, tool: 2, member: 1, text: 1.1, rest: 1.1, line: 2 },
  },
  calls: { ...openaiCalls, likely: { call: 9, result: 7, text: 1 } },
  format: openaiFormat,
}

export const harmonyFraming: Framing = {
  message: 4,
  roles: { system: 7, developer: 7 },
  name: 1,
  fixed: 63,
  source: 'fitted',
  slack: { message: 4, fixed: 32 },
  tools: {
    writtenAs: 'declarations',
    likely: { request: 31, tool: 0, property: 0, text: 1 },
    atMost: { request: 60, tool: 2, member: 1, text: 1.1, rest: 1.1, line: 2 },
  },
  calls: { ...openaiCalls, likely: { call: 9, result: 7, text: 1 } },
  format: {
    writtenAs: 'json',
    likely: { request: 25, text: 1.25 },
    atMost: { request: 64, text: 2 },
  },
}

export const llama3Framing: Framing = {
  message: 5,
  name: 1,
  fixed: 30,
  source: 'fitted',
  slack: { message: 2, fixed: 16 },
  tools: unknownTools,
  calls: unknownCalls,
  format: unknownFormat,
}

/** Hosts add a hidden text to a request with tools: 587 tokens or more. */
export const llama4Framing: Framing = {
  message: 5,
  name: 1,
  fixed: 5,
  source: 'fitted',
  slack: { message: 2, fixed: 32 },
  tools: {
    writtenAs: 'json',
    likely: { request: 640, tool: 0, property: 6, text: 0.4 },
    atMost: { request: 720, tool: 12, member: 6, text: 0, rest: 1.25 },
  },
  calls: unknownCalls,
  format: unknownFormat,
}

const mistralTools: ToolFraming = {
  writtenAs: 'json',
  likely: { request: 5, tool: 1, property: 3, text: 1.15 },
  atMost: { request: 20, tool: 6, member: 0, text: 1.4, rest: 0 },
}

export const mistralFraming: Framing = {
  message: 2,
  roles: { assistant: 1 },
  name: 1,
  fixed: 1,
  source: 'fitted',
  slack: { message: 3, fixed: 16 },
  tools: mistralTools,
  calls: {
    writtenAs: 'json',
    id: 0,
    unbilledId: 64,
    likely: { call: 2, result: 5, text: 1 },
    atMost: { call: 12, result: 10, text: 1.4 },
  },
  format: {
    writtenAs: 'json',
    likely: { request: 0, text: 0 },
    atMost: { request: 16, text: 1 },
  },
}

/** Mistral Small and Magistral Small have a hidden system text of 12 tokens. */
export const mistralSmallFraming: Framing = { ...mistralFraming, fixed: 13 }

export const qwenFraming: Framing = {
  message: 5,
  name: 1,
  fixed: 7,
  source: 'fitted',
  slack: { message: 2, fixed: 32 },
  tools: {
    writtenAs: 'json',
    likely: { request: 170, tool: 0, property: 0, text: 1 },
    atMost: { request: 260, tool: 12, member: 0, text: 1.5, rest: 0 },
  },
  calls: unknownCalls,
  format: unknownFormat,
}

export const deepseekFraming: Framing = {
  message: 1,
  roles: { system: 0, assistant: 2 },
  name: 1,
  fixed: 3,
  source: 'fitted',
  slack: { message: 3, fixed: 16 },
  tools: {
    writtenAs: 'json',
    likely: { request: 223, tool: 0, property: 2, text: 1.05 },
    atMost: { request: 260, tool: 12, member: 0, text: 1.5, rest: 0 },
  },
  calls: {
    writtenAs: 'json',
    id: 1,
    likely: { call: 8, result: 4, text: 1 },
    atMost: { call: 32, result: 24, text: 1.5 },
  },
  format: unknownFormat,
}

export const cohereFraming: Framing = {
  message: 3,
  name: 1,
  fixed: 3,
  source: 'fitted',
  slack: { message: 4, fixed: 256 },
  tools: unknownTools,
  calls: unknownCalls,
  format: unknownFormat,
}

/**
 * The hidden text of a request with tools: 193 to 541 tokens, by model and `tool_choice`. That of a
 * request with a schema: 118 to 133 besides the schema, and at most 180 in a vocabulary that needs a
 * third more. Anthropic names no figure:
 * https://platform.claude.com/docs/en/build-with-claude/structured-outputs
 */
export const claudeFraming: Framing = {
  message: 2,
  name: 1,
  fixed: 5,
  source: 'fitted',
  slack: { message: 6, fixed: 32 },
  tools: {
    writtenAs: 'json',
    likely: { request: 500, tool: 2, property: 13, text: 0.75 },
    atMost: { request: 520, tool: 0, member: 8, text: 0, rest: 1 },
  },
  // Bills of such requests are the same by way of Bedrock, whose ids are longer.
  calls: {
    writtenAs: 'json',
    id: 0,
    unbilledId: 64,
    likely: { call: 28, result: 22, text: 1 },
    atMost: { call: 56, result: 36, text: 1.5 },
  },
  format: {
    writtenAs: 'schema',
    likely: { request: 125, text: 1 },
    atMost: { request: 180, text: 1.5 },
  },
}

const grokTools: ToolFraming = {
  writtenAs: 'json',
  likely: { request: 42, tool: 12, property: 13, text: 0.4 },
  atMost: { request: 42, tool: 0, member: 8, text: 0, rest: 1 },
}

const grokBase: Framing = {
  message: 3,
  name: 1,
  fixed: 683,
  source: 'fitted',
  slack: { message: 6, fixed: 512 },
  tools: grokTools,
  calls: unknownCalls,
  format: {
    writtenAs: 'json',
    likely: { request: 12, text: 0.6 },
    atMost: { request: 64, text: 1.25 },
  },
}

export const grokFraming: Framing = grokBase

/** Grok 4.3's hidden prompt is shorter, and its bills with tools are known. */
export const grok43Framing: Framing = {
  ...grokBase,
  message: 2,
  fixed: 190,
  slack: { message: 4, fixed: 32 },
  tools: {
    ...grokTools,
    atMost: { ...grokTools.atMost, member: 6 },
  },
}

export const kimiFraming: Framing = {
  message: 3,
  name: 1,
  fixed: 24,
  source: 'fitted',
  slack: { message: 4, fixed: 64 },
  tools: unknownTools,
  calls: unknownCalls,
  format: unknownFormat,
}

/**
 * The maker's chat template of GLM-4.5 to 4.7: two tokens before the first message, a role and a line
 * break before each, and the role of the answer. Recorded requests were billed 3 to 5 tokens more
 * than Qwen's vocabulary has for their texts, and one 9.
 */
export const glmFraming: Framing = {
  message: 2,
  name: 1,
  fixed: 3,
  source: 'fitted',
  slack: { message: 4, fixed: 64 },
  tools: unknownTools,
  calls: unknownCalls,
  format: unknownFormat,
}

/** Seven tokens more, from two recorded requests of 5.2 and 5.3. */
export const glm5Framing: Framing = { ...glmFraming, fixed: 10 }

/** For an unknown family: as expensive as the most expensive ordinary template. */
export const genericFraming: Framing = {
  message: 6,
  name: 1,
  fixed: 24,
  source: 'fitted',
  slack: { message: 6, fixed: 512 },
  tools: unknownTools,
  calls: unknownCalls,
  format: unknownFormat,
}
