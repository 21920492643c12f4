import { expect, test } from 'vitest'
import { collectCompletion, createAnthropicProvider } from '../../src/index.ts'
import { chatCall } from '../support/call.ts'
import { closingAfterEach } from '../support/closing.ts'
import { scriptedProviders } from '../support/scripted-provider.ts'
import { assistantTurn, sentBody, toolResult, userTurn } from '../support/sent-body.ts'
import { block, finish, start } from './events.ts'

const setUp = scriptedProviders(
  (url) => createAnthropicProvider({ apiKey: 'key-1', baseUrl: `${url}/v1` }),
  closingAfterEach(),
)

function thought(index: number, text: string): string {
  return block(
    index,
    { type: 'thinking', thinking: '', signature: '' },
    { type: 'thinking_delta', thinking: text },
    { type: 'signature_delta', signature: `signed ${text}` },
  )
}

function text(index: number, words: string): string {
  return block(index, { type: 'text', text: '' }, { type: 'text_delta', text: words })
}

function call(index: number, id: string): string {
  return block(index, { type: 'tool_use', id, name: 'look', input: {} })
}

const sent = {
  thought: (words: string) => ({ type: 'thinking', thinking: words, signature: `signed ${words}` }),
  text: (words: string) => ({ type: 'text', text: words }),
  call: (id: string) => ({ type: 'tool_use', id, name: 'look', input: {} }),
}

/** The blocks of a message that went to the client and is sent again. */
async function returned(events: string, ...results: readonly string[]): Promise<unknown> {
  const { provider } = await setUp(start + events + finish('tool_use'))
  const { completion } = await collectCompletion(await provider.open(chatCall('hi')))
  const [choice] = completion(null).choices
  if (choice === undefined) throw new Error('the completion has no choices')
  const { content, reasoning_details, tool_calls } = choice.message
  const turn = assistantTurn({
    ...(content !== null && { content }),
    ...(reasoning_details && { reasoning_details }),
    ...(tool_calls && { tool_calls }),
  })
  const after = results.map((id) => toolResult(id, 'seen'))
  const messages = [userTurn('Look!'), turn, ...after, userTurn('And?')]
  const body = await sentBody('anthropic', 'claude-sonnet-5-5', messages)
  const turns = body['messages'] as readonly { readonly content: unknown }[]
  return turns[1]?.content
}

test('thoughts are sent back between the texts and calls where they were', async () => {
  const events = [
    text(0, 'First. '),
    thought(1, 'a'),
    text(2, 'Second.'),
    thought(3, 'b'),
    call(4, 'one'),
    thought(5, 'c'),
    thought(6, 'd'),
    call(7, 'two'),
  ]
  expect(await returned(events.join(''), 'one', 'two')).toEqual([
    sent.text('First. '),
    sent.thought('a'),
    sent.text('Second.'),
    sent.thought('b'),
    sent.call('one'),
    sent.thought('c'),
    sent.thought('d'),
    sent.call('two'),
  ])
})

test('a text of white space before a thought is left out', async () => {
  const events = text(0, '\n\n') + thought(1, 'a') + text(2, 'Words.')
  expect(await returned(events)).toEqual([sent.thought('a'), sent.text('Words.')])
})

test('thoughts after a text of white space go to the next message of the same answer', async () => {
  const details = [
    { type: 'reasoning.text', format: 'anthropic-claude-v1', text: 'a', signature: 'signed a' },
  ]
  const messages = [
    userTurn('Look!'),
    assistantTurn({ content: '\n\n', reasoning_details: details }),
    assistantTurn({ content: 'Words.' }),
    userTurn('And?'),
  ]
  const body = await sentBody('anthropic', 'claude-sonnet-5-5', messages)
  expect(body['messages']).toMatchObject([
    { role: 'user' },
    { role: 'assistant', content: [sent.thought('a'), sent.text('Words.')] },
    { role: 'user' },
  ])
})

test('a thought at the end of an answer stays there', async () => {
  const events = text(0, 'Words.') + thought(1, 'a')
  expect(await returned(events)).toEqual([sent.text('Words.'), sent.thought('a')])
})

test('thoughts of an answer that was shortened since stand at its end', async () => {
  const details = (id: string) => [
    {
      type: 'reasoning.text',
      format: 'anthropic-claude-v1',
      id,
      index: 0,
      text: 't',
      signature: 's',
    },
  ]
  const blocks = async (id: string) => {
    const turn = assistantTurn({ content: 'Short.', reasoning_details: details(id) })
    const messages = [userTurn('Look!'), turn, userTurn('And?')]
    const body = await sentBody('anthropic', 'claude-sonnet-5-5', messages)
    const turns = body['messages'] as readonly { readonly content: readonly { type: string }[] }[]
    return turns[1]?.content.map(({ type }) => type)
  }
  expect(await blocks('after_500_3')).toEqual(['text', 'thinking'])
  expect(await blocks('of another service')).toEqual(['thinking', 'text'])
})
