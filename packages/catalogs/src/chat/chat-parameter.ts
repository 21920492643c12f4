/** Request fields beyond the specification's five that a model may support. */
export const chatParameters = [
  'temperature',
  'top_p',
  'stop',
  'seed',
  'frequency_penalty',
  'presence_penalty',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'response_format',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'reasoning_effort',
  'n',
  'verbosity',
  'top_k',
  'min_p',
  'repetition_penalty',
] as const

export type ChatParameter = (typeof chatParameters)[number]
