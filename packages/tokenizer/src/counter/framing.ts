/** Tokens that a model family adds around the texts of a chat. */
export type Framing = {
  /** Around each message, including its role. */
  readonly message: number
  /** Roles that differ from `message`. */
  readonly roles?: Readonly<Record<string, number>>
  /** In addition to the tokens of a message's name. */
  readonly name: number
  /** Once per request: its beginning, the prompt for the reply, a default system text. */
  readonly fixed: number
  /** `published`: the vendor documents it for plain messages. `fitted`: derived from usage. */
  readonly source: 'published' | 'fitted'
  /** How much a fitted figure may be too low: per message, and once. */
  readonly slack: { readonly message: number; readonly fixed: number }
}

const noSlack = { message: 0, fixed: 0 }

/** OpenAI cookbook, "How to count tokens with tiktoken": 3 per message, its role, 3 for the reply. */
export const openaiFraming: Framing = {
  message: 4,
  name: 1,
  fixed: 3,
  source: 'published',
  slack: noSlack,
}

export const openaiReasoningFraming: Framing = {
  message: 4,
  name: 1,
  fixed: 5,
  source: 'fitted',
  slack: { message: 4, fixed: 64 },
}

export const harmonyFraming: Framing = {
  message: 4,
  roles: { system: 7, developer: 7 },
  name: 1,
  fixed: 63,
  source: 'fitted',
  slack: { message: 4, fixed: 32 },
}

export const llama3Framing: Framing = {
  message: 5,
  name: 1,
  fixed: 30,
  source: 'fitted',
  slack: { message: 2, fixed: 16 },
}

export const mistralFraming: Framing = {
  message: 2,
  roles: { assistant: 1 },
  name: 1,
  fixed: 1,
  source: 'fitted',
  slack: { message: 3, fixed: 16 },
}

export const qwenFraming: Framing = {
  message: 5,
  name: 1,
  fixed: 24,
  source: 'fitted',
  slack: { message: 2, fixed: 8 },
}

export const deepseekFraming: Framing = {
  message: 1,
  roles: { system: 0, assistant: 2 },
  name: 1,
  fixed: 3,
  source: 'fitted',
  slack: { message: 3, fixed: 16 },
}

export const gemmaFraming: Framing = {
  message: 5,
  name: 1,
  fixed: 4,
  source: 'fitted',
  slack: { message: 2, fixed: 16 },
}

export const cohereFraming: Framing = {
  message: 3,
  name: 1,
  fixed: 3,
  source: 'fitted',
  slack: { message: 4, fixed: 256 },
}

export const claudeFraming: Framing = {
  message: 4,
  name: 1,
  fixed: 8,
  source: 'fitted',
  slack: { message: 6, fixed: 32 },
}

export const grokFraming: Framing = {
  message: 3,
  name: 1,
  fixed: 683,
  source: 'fitted',
  slack: { message: 6, fixed: 512 },
}

export const kimiFraming: Framing = {
  message: 3,
  name: 1,
  fixed: 24,
  source: 'fitted',
  slack: { message: 4, fixed: 64 },
}

export const glmFraming: Framing = {
  message: 3,
  name: 1,
  fixed: 9,
  source: 'fitted',
  slack: { message: 4, fixed: 64 },
}

/** For an unknown family: as expensive as the most expensive ordinary template. */
export const genericFraming: Framing = {
  message: 6,
  name: 1,
  fixed: 24,
  source: 'fitted',
  slack: { message: 6, fixed: 512 },
}
