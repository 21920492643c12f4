import { expect, test } from 'vitest'
import { assistantTurn, sentBody, toolResult, userTurn } from '../support/sent-body.ts'

function called(...ids: readonly string[]) {
  const calls = ids.map((id) => ({
    id,
    type: 'function',
    function: { name: 'f', arguments: '{}' },
  }))
  return assistantTurn({ tool_calls: calls })
}

test('calls that share an id get ids of their own, and so do their results', async () => {
  const messages = [
    userTurn('Look.'),
    called('call_0', 'call_0'),
    toolResult('call_0', 'first'),
    toolResult('call_0', 'second'),
    called('call_0', 'call_1'),
    toolResult('call_1', 'fourth'),
    toolResult('call_0', 'third'),
  ]
  const body = await sentBody('anthropic', 'claude-sonnet-4-5', messages)
  const turns = body['messages'] as readonly { readonly content: readonly Block[] }[]
  const blocks = turns.flatMap(({ content }) => content)
  const ids = blocks.flatMap(({ type, id }) => (type === 'tool_use' ? [id] : []))
  const resultOf = (id: string | undefined) =>
    blocks.find((block) => block.tool_use_id === id)?.content
  expect(ids.map(resultOf)).toEqual(['first', 'second', 'third', 'fourth'])
  expect(new Set(ids).size).toBe(4)
  expect([ids[0], ids[3]]).toEqual(['call_0', 'call_1'])
  for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
})

type Block = {
  readonly type: string
  readonly id?: string
  readonly tool_use_id?: string
  readonly content?: string
}
