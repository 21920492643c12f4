import { expect, test } from 'vitest'
import { chatRequestSchema, parseWith } from '../../src/index.ts'

const hello = [{ role: 'user', content: 'Hello' }]
const tools = ['look', 'listen', 'smell'].map((name) => ({
  type: 'function',
  function: { name, parameters: { type: 'object' } },
}))
const named = (name: string) => ({ type: 'function', function: { name } })
const among = (mode: string, ...names: string[]) => ({
  type: 'allowed_tools',
  allowed_tools: { mode, tools: names.map(named) },
})

test.each(['auto', 'required'])(
  'with allowed tools of mode %s, the others are left out',
  (mode) => {
    const body = { messages: hello, tools, tool_choice: among(mode, 'smell', 'look') }
    expect(parseWith(chatRequestSchema, body)).toMatchObject({
      status: 'valid',
      value: { tools: [tools[0], tools[2]], tool_choice: mode },
    })
  },
)

test.each([
  [among('auto', 'look', 'taste'), 'tool_choice.allowed_tools.tools[1].function.name'],
  [among('none', 'look'), 'tool_choice.allowed_tools.mode'],
  [among('auto'), 'tool_choice.allowed_tools.tools'],
  [{ type: 'allowed_tools' }, 'tool_choice.allowed_tools'],
  [{ type: 'custom', custom: { name: 'look' } }, 'tool_choice.type'],
])('%j is refused by the name of its field', (tool_choice, param) => {
  expect(parseWith(chatRequestSchema, { messages: hello, tools, tool_choice })).toMatchObject({
    status: 'invalid',
    problem: { param },
  })
})

test('a tool is refused without a definition of it', () => {
  const body = { messages: hello, tool_choice: among('required', 'look') }
  expect(parseWith(chatRequestSchema, body)).toMatchObject({
    problem: {
      message:
        'tool_choice.allowed_tools.tools[0].function.name is not in tools. Use the name of one of tools.',
    },
  })
})
