type Json = Readonly<Record<string, unknown>>

/**
 * A request's body without what two clients may write in different ways, according to the provider's
 * documentation, and without what only we ask for.
 */
export function sameMeaning(wire: string, body: Json): unknown {
  if (wire === 'anthropic') return anthropicMeaning(body)
  if (wire === 'gemini') return JSON.parse(JSON.stringify(body), geminiMeaning)
  return openAiMeaning(body)
}

/** Instructions are a text or its blocks; a stream of arguments needs no delay for each tool. */
function anthropicMeaning({ system, tools, ...body }: Json): Json {
  const blocks = Array.isArray(system)
    ? system.map((block: { text: string }) => block.text)
    : system
  return {
    ...body,
    system: Array.isArray(blocks) ? blocks.join('\n\n') : blocks,
    tools: listOf(tools).map(({ eager_input_streaming: _, ...tool }) => tool),
  }
}

/**
 * The result of a function is any object, only the first of parallel calls needs a signature, and the
 * summary of thoughts is our addition.
 */
function geminiMeaning(key: string, value: unknown): unknown {
  if (key === 'response' && isJson(value)) return value['result'] ?? value['content']
  const isAddition = key === 'includeThoughts' || value === 'skip_thought_signature_validator'
  return isAddition ? undefined : value
}

function openAiMeaning(given: Json): Json {
  const { max_tokens, max_completion_tokens, messages, reasoning, tool_choice, ...body } = given
  const effort = isJson(reasoning) ? { reasoning_effort: reasoning['effort'] } : {}
  // The usage is asked for by us alone at some hosts, and OpenRouter is given the paid price. Groq
  // streams no format, which the SDK does not know.
  const { stream_options: _usage, provider: _price, stream: _whole, thinking, ...kept } = body
  // DeepSeek rejects a forced tool while it thinks, which the SDK does not prevent.
  const isForced = tool_choice === 'required' || isJson(tool_choice)
  return {
    ...kept,
    ...(isForced ? {} : { thinking }),
    ...effort,
    cap: max_completion_tokens ?? max_tokens,
    messages: listOf(messages).map(messageMeaning),
    // Mistral takes both words.
    tool_choice: tool_choice === 'any' ? 'required' : tool_choice,
  }
}

/** A tool's name is in its call already; DeepSeek's schema stands in an instruction. */
function messageMeaning({ name: _, reasoning_content: _blank, ...message }: Json): Json {
  const { content } = message
  if (content === '' || content === null || content === undefined) {
    return { ...message, content: 'none' }
  }
  if (typeof content === 'string')
    return { ...message, content: content.replace(/^[^{]*: \{/, '{') }
  const parts = listOf(content)
  const [first] = parts
  const isText = parts.length === 1 && first?.['type'] === 'text'
  return { ...message, content: isText ? first['text'] : parts.map(partMeaning) }
}

function partMeaning(part: Json): Json {
  const { image_url: image } = part
  return typeof image === 'string' ? { ...part, image_url: { url: image } } : part
}

function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isJson) : []
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
