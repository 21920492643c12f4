import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from '@ai-sdk/provider'

/** One request in the words of the AI SDK and in those of a client of ours. */
export type ComparedRequest = {
  readonly name: string
  readonly sdk: LanguageModelV4CallOptions
  readonly ours: Readonly<Record<string, unknown>>
}

const schema = {
  type: 'object' as const,
  properties: { city: { type: 'string' as const } },
  required: ['city'],
  additionalProperties: false,
}
const sdkTool: LanguageModelV4FunctionTool = {
  type: 'function',
  name: 'weather',
  description: 'The weather of a city',
  inputSchema: schema,
}
const tool = {
  type: 'function',
  function: { name: 'weather', description: 'The weather of a city', parameters: schema },
}
const sdkUser = { role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello' }] }
const user = { role: 'user', content: 'Hello' }
const base = { sdk: { prompt: [sdkUser] }, ours: { messages: [user] } }
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

function withTool(
  name: string,
  more: Partial<LanguageModelV4CallOptions>,
  ours: object,
): ComparedRequest {
  return {
    name,
    sdk: { ...base.sdk, tools: [sdkTool], ...more },
    ours: { ...base.ours, tools: [tool], ...ours },
  }
}

const ids = ['abcdefg01', 'abcdefg02'] as const

export const comparedRequests: readonly ComparedRequest[] = [
  { name: 'one text', ...base },
  {
    name: 'instructions',
    sdk: { prompt: [{ role: 'system', content: 'Be brief.' }, sdkUser] },
    ours: { messages: [{ role: 'system', content: 'Be brief.' }, user] },
  },
  {
    name: 'several turns',
    sdk: {
      prompt: [sdkUser, { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] }, sdkUser],
    },
    ours: { messages: [user, { role: 'assistant', content: 'Hi' }, user] },
  },
  {
    name: 'temperature',
    sdk: { ...base.sdk, temperature: 0.3 },
    ours: { ...base.ours, temperature: 0.3 },
  },
  { name: 'seed', sdk: { ...base.sdk, seed: 7 }, ours: { ...base.ours, seed: 7 } },
  {
    name: 'stop',
    sdk: { ...base.sdk, stopSequences: ['END'] },
    ours: { ...base.ours, stop: ['END'] },
  },
  withTool('a tool', {}, {}),
  withTool('a tool, required', { toolChoice: { type: 'required' } }, { tool_choice: 'required' }),
  withTool(
    'a tool by name',
    { toolChoice: { type: 'tool', toolName: 'weather' } },
    { tool_choice: { type: 'function', function: { name: 'weather' } } },
  ),
  withTool('no tool', { toolChoice: { type: 'none' } }, { tool_choice: 'none' }),
  withTool(
    'one tool at a time',
    {
      providerOptions: {
        openai: { parallelToolCalls: false },
        anthropic: { disableParallelToolUse: true },
        mistral: { parallelToolCalls: false },
        groq: { parallelToolCalls: false },
        together: { parallel_tool_calls: false },
        openrouter: { parallel_tool_calls: false },
      },
    },
    { parallel_tool_calls: false },
  ),
  withTool(
    'results of two calls, one without arguments',
    {
      prompt: [
        sdkUser,
        {
          role: 'assistant',
          content: [
            { type: 'tool-call', toolCallId: ids[0], toolName: 'weather', input: { city: 'Rome' } },
            { type: 'tool-call', toolCallId: ids[1], toolName: 'weather', input: {} },
          ],
        },
        {
          role: 'tool',
          content: ids.map((toolCallId) => ({
            type: 'tool-result' as const,
            toolCallId,
            toolName: 'weather',
            output: { type: 'text' as const, value: 'Sunny' },
          })),
        },
      ],
    },
    {
      messages: [
        user,
        {
          role: 'assistant',
          tool_calls: [
            {
              id: ids[0],
              type: 'function',
              function: { name: 'weather', arguments: '{"city":"Rome"}' },
            },
            { id: ids[1], type: 'function', function: { name: 'weather', arguments: '' } },
          ],
        },
        ...ids.map((tool_call_id) => ({ role: 'tool', tool_call_id, content: 'Sunny' })),
      ],
    },
  ),
  withTool(
    'an image in the result of a call',
    {
      prompt: [
        sdkUser,
        {
          role: 'assistant',
          content: [{ type: 'tool-call', toolCallId: ids[0], toolName: 'weather', input: {} }],
        },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: ids[0],
              toolName: 'weather',
              output: {
                type: 'content',
                value: [
                  { type: 'text', text: 'See' },
                  { type: 'file', mediaType: 'image/png', data: { type: 'data', data: png } },
                ],
              },
            },
          ],
        },
      ],
    },
    {
      messages: [
        user,
        {
          role: 'assistant',
          tool_calls: [
            { id: ids[0], type: 'function', function: { name: 'weather', arguments: '{}' } },
          ],
        },
        {
          role: 'tool',
          tool_call_id: ids[0],
          content: [
            { type: 'text', text: 'See' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
          ],
        },
      ],
    },
  ),
  {
    name: 'an image by address',
    sdk: {
      prompt: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            {
              type: 'file',
              mediaType: 'image/png',
              data: { type: 'url', url: new URL('https://a.example/b.png') },
            },
          ],
        },
      ],
    },
    ours: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            { type: 'image_url', image_url: { url: 'https://a.example/b.png' } },
          ],
        },
      ],
    },
  },
  {
    name: 'an image as data',
    sdk: {
      prompt: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            { type: 'file', mediaType: 'image/png', data: { type: 'data', data: png } },
          ],
        },
      ],
    },
    ours: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
          ],
        },
      ],
    },
  },
  {
    name: 'a JSON schema',
    sdk: {
      ...base.sdk,
      responseFormat: { type: 'json', schema, name: 'answer' },
      providerOptions: { mistral: { strictJsonSchema: true } },
    },
    ours: {
      ...base.ours,
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'answer', schema, strict: true },
      },
    },
  },
  {
    name: 'an effort',
    sdk: {
      ...base.sdk,
      reasoning: 'high',
      providerOptions: { openrouter: { reasoning: { effort: 'high' } } },
    },
    ours: { ...base.ours, reasoning_effort: 'high' },
  },
]
