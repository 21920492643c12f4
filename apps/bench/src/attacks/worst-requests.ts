/** A request that causes as much work as the limits allow. */
export type WorstRequest = {
  readonly name: string
  readonly path: string
  readonly body: string
}

type Json = Readonly<Record<string, unknown>>

const estimate = '/v1/estimate'
const chat = '/v1/chat/completions'
const responses = '/v1/responses'
const messages = '/v1/messages'

const model = 'openai/gpt-4.1-mini'
const claude = 'anthropic/claude-sonnet-4.6'

/** The most of each thing that a body may have, for every wire, valid and not. */
export function worstRequests(): readonly WorstRequest[] {
  return [...longTexts(), ...manyValues(), ...definitions(), ...images(), ...toolCalls()]
}

/** Bodies whose translation for the provider, which follows the payment, is the most work. */
export function worstPaidRequests(): readonly WorstRequest[] {
  const image = (url: string): Json => ({ type: 'image_url', image_url: { url } })
  const ask = (content: unknown): Json => ({ ...talk([user(content)]), max_tokens: 1 })
  const thoughts = times(16_000, (at) => ({
    type: 'reasoning.encrypted',
    format: 'anthropic-claude-v1',
    id: `after_${at}_0`,
    data: 'a',
  }))
  const letters = times(26_000, (at) => ({
    type: 'text',
    text: 'a',
    ...(at === 0 && { cache_control: { type: 'ephemeral' } }),
  }))
  const thinker = { role: 'assistant', reasoning_details: thoughts, content: letters }
  return [
    request('an image of 60 MB', chat, filled(ask([image('data:image/png;base64,@')]), long)),
    request('an image in percent signs', chat, ask([image(percents)])),
    request('16,000 thoughts in 26,000 texts', chat, talk([user('a'), thinker, user('b')])),
  ]
}

function longTexts(): readonly WorstRequest[] {
  const hundred = { model, max_tokens: 1, messages: times(100, () => user('@')) }
  const ten = { model, input: times(10, () => user('@')) }
  return [
    request('10 MB of words', estimate, filled(hundred, 'fare box '.repeat(11_111))),
    request('60 MB of \\u0061', estimate, filled(hundred, '\\u0061'.repeat(100_000))),
    request('60 MB of \\u0061', chat, filled(hundred, '\\u0061'.repeat(100_000))),
    request('60 MB of \\u0001', chat, filled(hundred, '\\u0001'.repeat(100_000))),
    request('30 MB of Chinese', chat, filled(hundred, '漢'.repeat(100_000))),
    request('60 MB of \\u0001', responses, filled(ten, '\\u0001'.repeat(1_000_000))),
    request('60 MB of words', messages, filled(talk(times(60, () => user('@'))), words)),
    request('60 MB in one text', chat, filled({ model, messages: [user('@')] }, long)),
    request(
      '60 MB of metadata',
      chat,
      filled({ model, messages: [user('a')], metadata: { a: '@' } }, long),
    ),
    request(
      '60 MB of white space',
      estimate,
      ' '.repeat(6e7) + JSON.stringify({ model, messages: [user('a')] }),
    ),
  ]
}

function manyValues(): readonly WorstRequest[] {
  const items = times(10_000, (at) => user(`message ${at}`))
  const parts = times(500, () => ({ type: 'text', text: 'a' }))
  const blocks = times(100, (at) => ({ role: at % 2 ? 'assistant' : 'user', content: parts }))
  const keys = Object.fromEntries(times(19_000, (at) => [`key${at}`, 1]))
  const steps = times(4_000, (at) => ({ type: 'reasoning.text', id: `${at}`, text: 'thought' }))
  const thinking = times(8, () => ({ role: 'assistant', reasoning_details: steps }))
  const ask = (fields: Json): Json => ({ model, messages: [user('a')], ...fields })
  const bad = times(75_000, () => ({ type: 'x' }))
  return [
    request('10,000 messages', responses, { model, input: items }),
    request('10,000 messages', messages, talk(items)),
    request('50,000 parts', estimate, { model, messages: blocks }),
    request('50,000 blocks', messages, talk(blocks)),
    request('75,000 invalid parts', estimate, { model, messages: [user(bad)] }),
    request('75,000 invalid tools', messages, { ...talk([user('a')]), tools: bad }),
    request('150,000 numbers', chat, ask({ stop: times(150_000, () => 1) })),
    request('32,000 steps of reasoning', chat, { model, messages: [...thinking, user('a')] }),
    request('19,000 tokens in logit_bias', estimate, ask({ logit_bias: numbered(19_000) })),
    request('19,000 unknown fields', estimate, { ...ask({}), ...keys }),
    request('arrays in arrays, 31 deep', estimate, ask({ metadata: { a: nested(31) } })),
    request('arrays in arrays, 30,000 deep', estimate, deep),
  ]
}

function definitions(): readonly WorstRequest[] {
  const ask = (fields: Json): Json => ({ model, max_tokens: 1, messages: [user('a')], ...fields })
  const tool = (at: number, description: string, properties: Json = {}): Json => {
    const parameters = { type: 'object', properties }
    return { type: 'function', function: { name: `tool${at}`, description, parameters } }
  }
  const wide = Object.fromEntries(times(19_000, (at) => [`p${at}`, { type: 'string' }]))
  const format = { type: 'json_schema', json_schema: { name: 'a', schema: { a: '@' } } }
  const ones = Object.fromEntries(times(19_000, (at) => [`p${at}`, 1]))
  const required = [...times(121_000, (at) => `q${at}`), ...Object.keys(ones)]
  const object = { type: 'object', additionalProperties: false, properties: ones, required }
  const strict = { name: 'a', strict: true, parameters: object }
  return [
    request(
      '4 MB of tools',
      chat,
      ask({ tools: times(4, (at) => tool(at, million.slice(20_000))) }),
    ),
    request('60 MB of tools', chat, ask({ tools: times(60, (at) => tool(at, million)) })),
    request('a schema of 19,000 properties', chat, ask({ tools: [tool(0, 'a', wide)] })),
    request(
      'a strict schema that requires 140,000',
      estimate,
      ask({ tools: [{ type: 'function', function: strict }] }),
    ),
    request(
      '4 MB of response format',
      chat,
      filled(ask({ response_format: format }), '漢'.repeat(1_300_000)),
    ),
    request('60 MB of response format', chat, filled(ask({ response_format: format }), long)),
  ]
}

function images(): readonly WorstRequest[] {
  const image = (url: string): Json => ({ type: 'image_url', image_url: { url } })
  const small = times(100, () => user(times(200, () => image(`data:image/png;base64,iVBORw0K`))))
  const source = { type: 'base64', media_type: 'image/png', data: '@' }
  const ask = (content: unknown): Json => ({ model, max_tokens: 1, messages: [user(content)] })
  return [
    request('an image of 60 MB', chat, filled(ask([image('data:image/png;base64,@')]), long)),
    request('an image of 60 MB', messages, filled(talk([user([{ type: 'image', source }])]), long)),
    request('20,000 images', chat, { model, messages: small }),
    request(
      '2,000,000 pictures',
      messages,
      talk([user('a'), { role: 'assistant', content: pictures }, user('b')]),
    ),
    request('a prompt of 60 MB', '/v1/images/generate', filled({ prompt: '@' }, long)),
  ]
}

function toolCalls(): readonly WorstRequest[] {
  const calls = (text: string): readonly Json[] =>
    times(60, (at) => {
      const call = { id: `c${at}`, type: 'function', function: { name: 'a', arguments: text } }
      return [
        { role: 'assistant', tool_calls: [call] },
        { role: 'tool', tool_call_id: `c${at}`, content: 'a' },
      ]
    }).flat()
  const turns = times(4_999, (at) => [
    { type: 'function_call', call_id: `c${at}`, name: 'a', arguments: '{}' },
    { type: 'function_call_output', call_id: `c${at}`, output: 'a' },
  ]).flat()
  return [
    request('60 MB of arguments', chat, {
      model,
      max_tokens: 1,
      messages: calls(million).slice(0, 99),
    }),
    request('10,000 calls and results', responses, { model, input: [user('a'), ...turns] }),
  ]
}

const million = 'x'.repeat(999_999)
const long = 'a'.repeat(60_000_000)
const words = 'fare box '.repeat(111_111)
const pictures = '![picture](data:image/a;base64,)'.repeat(2_000_000)
const percents = `data:image/png;base64,${'%41'.repeat(3_333_000)}`
const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`

function request(name: string, path: string, body: Json | string): WorstRequest {
  return { name, path, body: typeof body === 'string' ? body : JSON.stringify(body) }
}

/** The JSON of a body, with this text in each place that has an `@`. */
function filled(body: Json, text: string): string {
  return JSON.stringify(body).replaceAll('@', text)
}

function user(content: unknown): Json {
  return { role: 'user', content }
}

function talk(said: readonly unknown[]): Json {
  return { model: claude, max_tokens: 16, messages: said }
}

function numbered(count: number): Json {
  return Object.fromEntries(times(count, (at) => [String(at), 1]))
}

function nested(depth: number): unknown {
  return depth === 0 ? 1 : [nested(depth - 1)]
}

function times<Value>(count: number, make: (at: number) => Value): Value[] {
  return Array.from({ length: count }, (_, at) => make(at))
}
