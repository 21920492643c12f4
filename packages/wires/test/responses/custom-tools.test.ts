import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { responsesWire } from '../../src/index.ts'
import { textAnswer, textCallAnswer } from '../support/answer.ts'
import { type Answer, openWireServer } from '../support/wire-server.ts'

async function open(...answers: Answer[]) {
  const { url, chats } = await openWireServer(responsesWire, answers.values())
  return { client: new OpenAI({ baseURL: url, apiKey: 'none', maxRetries: 0 }), chats }
}

const patch: OpenAI.Responses.CustomTool = {
  type: 'custom',
  name: 'patch',
  description: 'Edits files.',
  format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' },
}
const asks = { model: 'acme/thinker', input: 'Add a line.', tools: [patch] } as const
const written = '*** Begin Patch\n+"a"'

test('a custom tool is offered as a function with one text', async () => {
  const { client, chats } = await open(textAnswer)
  const response = await client.responses.create({
    ...asks,
    tool_choice: { type: 'custom', name: 'patch' },
  })
  expect(response.tools).toEqual([patch])
  expect(chats[0]).toMatchObject({
    tools: [
      {
        type: 'function',
        function: {
          name: 'patch',
          description: 'Edits files.',
          parameters: {
            properties: {
              input: {
                type: 'string',
                description: expect.stringMatching(/matches this lark grammar:\nstart: "a"$/),
              },
            },
            required: ['input'],
          },
        },
      },
    ],
    tool_choice: { type: 'function', function: { name: 'patch' } },
  })
})

test('its call has the text that the model wrote, streamed or not', async () => {
  const { client } = await open(textCallAnswer, textCallAnswer)
  const call = { type: 'custom_tool_call', call_id: 'call_p', name: 'patch', input: written }
  const whole = await client.responses.create({ ...asks, stream: false })
  expect(whole.output).toMatchObject([call])
  const events: OpenAI.Responses.ResponseStreamEvent[] = []
  for await (const event of await client.responses.create({ ...asks, stream: true })) {
    events.push(event)
  }
  expect(events.map(({ type }) => type)).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.custom_tool_call_input.delta',
    'response.custom_tool_call_input.done',
    'response.output_item.done',
    'response.completed',
  ])
  expect(events).toMatchObject([
    {},
    {},
    { item: { ...call, input: '' } },
    { delta: written },
    { input: written },
    { item: call },
    { response: { output: whole.output } },
  ])
})

test('a call and its output continue the conversation', async () => {
  const { client, chats } = await open(textCallAnswer, textAnswer)
  const { output } = await client.responses.create(asks)
  await client.responses.create({
    ...asks,
    input: [
      { role: 'user', content: asks.input },
      ...(output as OpenAI.Responses.ResponseInputItem[]),
      { type: 'custom_tool_call_output', call_id: 'call_p', output: 'Done.' },
    ],
  })
  const args = JSON.stringify({ input: written })
  expect(chats[1]?.['messages']).toEqual([
    { role: 'user', content: asks.input },
    {
      role: 'assistant',
      tool_calls: [
        { id: 'call_p', type: 'function', function: { name: 'patch', arguments: args } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_p', content: 'Done.' },
  ])
})

test.each(['not JSON', '{"text":"a"}', '{"input":1}', '[]'])(
  'arguments of another shape are its input as the model wrote them: %s',
  async (args) => {
    const { completion } = textCallAnswer
    const [choice] = completion.choices
    const call = { id: 'call_p', type: 'function', function: { name: 'patch', arguments: args } }
    const message = { ...choice!.message, tool_calls: [call] }
    const answer = {
      ...textCallAnswer,
      completion: { ...completion, choices: [{ ...choice!, message }] },
    }
    const { client } = await open(answer as Answer)
    const { output } = await client.responses.create({ ...asks, stream: false })
    expect(output).toMatchObject([{ type: 'custom_tool_call', input: args }])
  },
)
