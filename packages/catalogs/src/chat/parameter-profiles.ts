import type { ChatParameter } from './chat-parameter.ts'

const sampling = ['temperature', 'top_p', 'stop', 'seed'] as const
const penalties = ['frequency_penalty', 'presence_penalty'] as const
const logprobs = ['logprobs', 'top_logprobs'] as const
/** Sampling of open weights, unknown to the makers' own APIs. */
const openSampling = ['top_k', 'min_p', 'repetition_penalty'] as const
const tools = ['tools', 'tool_choice'] as const
const allTools = [...tools, 'parallel_tool_calls'] as const

/** A family of models that support the same request fields. */
export type ParameterProfile =
  | 'openai-chat'
  | 'openai-legacy'
  | 'openai-reasoning'
  | 'openai-o-series'
  | 'claude'
  | 'claude-schema'
  | 'claude-effort'
  | 'claude-fixed'
  | 'gemini'
  | 'grok'
  | 'grok-effort'
  | 'mistral'
  | 'mistral-effort'
  | 'open'
  | 'open-reasoning'
  | 'hosted'
  | 'groq'
  | 'cerebras'
  | 'none'

/** The fields that each family supports, according to the makers' API references. */
const profiles: Readonly<Record<ParameterProfile, readonly ChatParameter[]>> = {
  /** OpenAI before its reasoning models. */
  'openai-chat': [
    ...sampling,
    ...penalties,
    ...logprobs,
    ...allTools,
    'logit_bias',
    'response_format',
    'n',
  ],
  /** GPT-4 and GPT-3.5: no structured output. */
  'openai-legacy': [...sampling, ...penalties, ...logprobs, ...allTools, 'logit_bias', 'n'],
  /** Reasoning models reject a temperature and other sampling fields. */
  'openai-reasoning': [...allTools, 'response_format', 'reasoning_effort', 'verbosity'],
  'openai-o-series': [...tools, 'response_format', 'reasoning_effort'],
  /** Claude up to 4.1. `top_p` is rejected with a temperature, which has a default here. */
  claude: ['temperature', 'stop', ...allTools],
  /** Claude Sonnet 4.5 and Haiku 4.5: JSON schemas, but no effort. */
  'claude-schema': ['temperature', 'stop', ...allTools, 'response_format'],
  /** Claude Opus 4.5 and 4.6, Sonnet 4.6. */
  'claude-effort': ['temperature', 'stop', ...allTools, 'response_format', 'reasoning_effort'],
  /** From Claude Opus 4.7 on, Sonnet 5, Haiku 5.5, Fable 5: a temperature is rejected. */
  'claude-fixed': ['stop', ...allTools, 'response_format', 'reasoning_effort'],
  gemini: [...sampling, ...penalties, ...tools, 'response_format', 'reasoning_effort'],
  /** Grok 4.20, which rejects an effort. */
  grok: ['temperature', 'top_p', 'seed', ...allTools, 'response_format'],
  'grok-effort': [
    'temperature',
    'top_p',
    'seed',
    ...allTools,
    'response_format',
    'reasoning_effort',
  ],
  mistral: [...sampling, ...penalties, ...allTools, 'response_format', 'n'],
  'mistral-effort': [
    ...sampling,
    ...penalties,
    ...allTools,
    'response_format',
    'n',
    'reasoning_effort',
  ],
  /** Open weights behind a router. */
  open: [...sampling, ...penalties, ...tools, 'response_format'],
  'open-reasoning': [...sampling, ...penalties, ...tools, 'response_format', 'reasoning_effort'],
  /** Open weights at hosts that serve them with a full OpenAI-compatible server. */
  hosted: [
    ...sampling,
    ...openSampling,
    ...penalties,
    ...logprobs,
    ...allTools,
    'logit_bias',
    'response_format',
    'reasoning_effort',
    'n',
  ],
  groq: [...sampling, ...allTools, 'response_format', 'reasoning_effort'],
  cerebras: [...sampling, ...logprobs, ...allTools, 'response_format', 'reasoning_effort'],
  /** Only messages and the output cap. */
  none: [],
}

export const parameterProfiles: readonly ParameterProfile[] =
  Object.keys(profiles).filter(isProfile)

function isProfile(name: string): name is ParameterProfile {
  return Object.hasOwn(profiles, name)
}

/** The request fields of a profile. */
export function parametersOf(profile: ParameterProfile): readonly ChatParameter[] {
  return profiles[profile]
}
