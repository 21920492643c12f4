/** What the fields of requests do, by name. The schemas define only what is valid. */
export const chatFieldTexts = {
  messages: 'The conversation, oldest first. Answers of this service can be sent back unchanged.',
  model: 'The id of a model of `/v1/models`. A short name works if it matches exactly one model.',
  max_tokens:
    'The most tokens of output, per choice. It sets the maximum price: unused tokens are refunded. The default is lower for models with a lower output limit.',
  max_completion_tokens: 'The newer name of `max_tokens`. If both are sent, they must be equal.',
  temperature:
    'How varied the output is. Models that support no temperature accept 1, and get none by default.',
  stream: 'Sends the completion as server-sent events while it is generated.',
  stream_options: 'Usage always comes with the last content chunk of a stream.',
  n: 'The number of completions. The price is multiplied by it.',
  top_p: 'Nucleus sampling: only the most likely tokens up to this probability.',
  stop: 'Texts at which the output ends. Most models take up to four.',
  seed: 'Makes the sampling repeatable, if the provider supports it.',
  frequency_penalty: 'Makes tokens less likely the more often they have occurred.',
  presence_penalty: 'Makes tokens less likely once they have occurred.',
  logit_bias: 'Changes the likelihood of tokens by id.',
  logprobs: 'Returns the log probability of each token.',
  top_logprobs: 'The number of alternatives with their log probabilities. Needs `logprobs`.',
  response_format: 'Text, any JSON object, or JSON of a schema.',
  tools: 'Functions that the model may call. They count as input.',
  tool_choice: 'Whether the model may, must or must not call a tool, or which one.',
  parallel_tool_calls: 'Whether one turn may call several tools.',
  reasoning_effort: 'How much a reasoning model thinks. Reasoning is billed as output.',
  verbosity: 'How long the answer is, for models that support it.',
  reasoning: 'OpenRouter’s form of `reasoning_effort`.',
  user: 'Accepted without effect.',
  metadata: 'Accepted without effect.',
  store: 'Must be false: nothing is stored.',
} as const

export const imageFieldTexts = {
  prompt: 'What to draw.',
  model: 'The id of a model of `/v1/images/models`.',
  width: 'Pixels, divisible by 64.',
  height: 'Pixels, divisible by 64.',
  numberResults: 'The number of images. The price is multiplied by it.',
  steps: 'The number of steps, for models that support it.',
  negativePrompt: 'What the image must not show.',
  seed: 'Makes the image repeatable, if the model supports it.',
  response_format: 'A URL of each image, or its bytes in base64.',
} as const

const { model, max_tokens, temperature, stream, top_p, tools, tool_choice } = chatFieldTexts
const shared = { model, temperature, stream, top_p, tools, tool_choice }

export const responsesFieldTexts: Readonly<Record<string, string>> = {
  ...shared,
  input: 'A text, or the whole conversation: answers of this service can be sent back unchanged.',
  instructions: 'The system message, before the input.',
  max_output_tokens: max_tokens,
  text: 'The format of the answer, and how long it is for models that support it.',
  reasoning: 'How much a reasoning model thinks. Reasoning is billed as output.',
  store: 'Must be false: nothing is stored.',
  metadata: 'Returned with the response.',
}

export const messagesFieldTexts: Readonly<Record<string, string>> = {
  ...shared,
  messages: chatFieldTexts.messages,
  max_tokens: 'The most tokens of output. It sets the maximum price: unused tokens are refunded.',
  system: 'The system message, before the conversation.',
  stop_sequences: chatFieldTexts.stop,
  thinking: 'How much the model thinks. Thinking is billed as output.',
  output_config: 'How much the model thinks and writes, and the JSON schema of its answer.',
  metadata: 'Accepted without effect.',
}

export const imageGenerationFieldTexts: Readonly<Record<string, string>> = {
  prompt: imageFieldTexts.prompt,
  model: imageFieldTexts.model,
  n: imageFieldTexts.numberResults,
  size: 'Width and height in pixels, each divisible by 64, or `auto`.',
  response_format:
    'With `url`, a URL of each image: a `data:` URL if its provider sends bytes. With `b64_json`, its bytes in base64. Without it, bytes for GPT images, and otherwise what the provider sends.',
  user: 'Accepted without effect.',
}

type Json = Readonly<Record<string, unknown>>

/** Adds the texts to the properties of a JSON schema that have none. */
export function describeFields(schema: Json, texts: Readonly<Record<string, string>>): Json {
  const properties: readonly [string, unknown][] = Object.entries(schema['properties'] ?? {})
  const described = properties.map(([name, property]) => {
    const description = texts[name]
    const isUnchanged = description === undefined || typeof property !== 'object'
    return [name, isUnchanged ? property : { description, ...property }]
  })
  return { ...schema, properties: Object.fromEntries(described) }
}
