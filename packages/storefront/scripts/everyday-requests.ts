import { deflateSync } from 'node:zlib'

/** A request that people make, and the tokens of an ordinary answer. */
export type EverydayRequest = {
  readonly name: string
  readonly answer: number
  readonly body: object
}

/** Ten requests of everyday sizes, each with a cap on its output, as clients send them. */
export const everydayRequests: readonly EverydayRequest[] = [
  chat('a short question', 'openai/gpt-4.1-mini', question()),
  chat('a short question', 'anthropic/claude-sonnet-4.5', question()),
  chat('a short question', 'google/gemini-2.5-flash', question()),
  { ...chat('an agent with 12 tools', 'openai/gpt-4.1', agentTurn()), answer: 60 },
  { ...chat('an agent with 12 tools', 'anthropic/claude-sonnet-4.5', agentTurn()), answer: 60 },
  { ...chat('an agent with 12 tools', 'google/gemini-2.5-flash', agentTurn()), answer: 60 },
  chat('a picture of 640 × 480', 'openai/gpt-5.5', picture()),
  chat('a picture of 640 × 480', 'anthropic/claude-sonnet-4.5', picture()),
  chat('a document of 10 pages', 'anthropic/claude-sonnet-4.5', document()),
  chat('a document of 10 pages', 'google/gemini-2.5-flash', document()),
]

function chat(name: string, model: string, rest: object): EverydayRequest {
  return {
    name: `${name}, \`${model}\``,
    answer: 200,
    body: { model, max_tokens: 400, ...rest },
  }
}

function question(): object {
  return ask('Why is the sky blue in the day and red in the evening?')
}

function ask(content: unknown): { readonly messages: readonly object[] } {
  return { messages: [{ role: 'user', content }] }
}

function agentTurn(): object {
  const subjects = ['customer', 'order', 'invoice', 'parcel']
  const tools = subjects.flatMap((subject) => [
    tool(`find_${subject}`, `Finds a ${subject} by its number or by words.`, ['query', 'limit']),
    tool(`update_${subject}`, `Changes one field of a ${subject}.`, ['number', 'field', 'value']),
    tool(`cancel_${subject}`, `Cancels a ${subject} and tells the customer why.`, [
      'number',
      'why',
    ]),
  ])
  const call = { name: 'find_order', arguments: '{"query":"blue lamp","limit":1}' }
  return {
    tools,
    messages: [
      { role: 'system', content: 'You help the staff of a shop. Use the tools; never guess.' },
      { role: 'user', content: 'Where is the blue lamp that Ada Smith ordered on Monday?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'call_h2Jx0bQwMZ8sT4u1', type: 'function', function: call }],
      },
      {
        role: 'tool',
        tool_call_id: 'call_h2Jx0bQwMZ8sT4u1',
        content: '{"number":"A-1093","item":"blue lamp","state":"shipped","parcel":"P-7731"}',
      },
    ],
  }
}

function tool(name: string, description: string, fields: readonly string[]): object {
  const properties = Object.fromEntries(
    fields.map((field) => [field, { type: 'string', description: `The ${field} to use.` }]),
  )
  const parameters = { type: 'object', properties, required: fields, additionalProperties: false }
  return { type: 'function', function: { name, description, parameters } }
}

function picture(): object {
  const url = `data:image/png;base64,${grayPng(640, 480).toString('base64')}`
  return ask([
    { type: 'text', text: 'What is in this picture?' },
    { type: 'image_url', image_url: { url } },
  ])
}

/** A PNG with checksums left out: its size is what counts. */
function grayPng(width: number, height: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 0, 0, 0, 0], 8)
  const chunk = (type: string, data: Buffer): Buffer => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(data.length)
    return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)])
  }
  const pixels = deflateSync(Buffer.alloc((width + 1) * height))
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixels)])
}

function document(): object {
  const paragraph =
    'The committee met on 12 March 2026 to review the annual report. It noted that revenue rose by ' +
    '4.2 per cent, while costs of transport fell, and asked for a plan of the coming two years. ' +
    'Members raised the question whether the new depot should open before the winter season. '
  return ask(`Summarise this report in five points.\n\n${paragraph.repeat(90)}`)
}
