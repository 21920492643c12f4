import { expect, test } from 'vitest'
import { cacheMarks, chatRequestSchema, withoutCacheMarks } from '../../src/index.ts'

const mark = { type: 'ephemeral' }
const text = (cache_control?: object) => ({ type: 'text', text: 'a', cache_control })

function requestOf(messages: readonly object[], tools?: readonly object[]) {
  return chatRequestSchema.parse({ model: 'm', messages, ...(tools && { tools }) })
}

const tool = { type: 'function', function: { name: 'f' } }
const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }
const marked = requestOf(
  [
    { role: 'user', content: [text(), text(mark)] },
    { role: 'system', content: [text({ ...mark, ttl: '1h' })] },
    {
      role: 'assistant',
      content: [text(mark)],
      tool_calls: [call, { ...call, id: 'b', cache_control: mark }],
    },
    { role: 'developer', content: [text(mark)] },
    { role: 'user', content: 'b' },
  ],
  [tool, { ...tool, cache_control: mark }],
)

test('cache marks are listed as Claude reads them: tools, instructions, turns', () => {
  expect(cacheMarks(marked)).toEqual([
    { path: 'tools[1].cache_control', ttl: '5m' },
    { path: 'messages[1].content[0].cache_control', ttl: '1h' },
    { path: 'messages[3].content[0].cache_control', ttl: '5m' },
    { path: 'messages[0].content[1].cache_control', ttl: '5m' },
    { path: 'messages[2].content[0].cache_control', ttl: '5m' },
    { path: 'messages[2].tool_calls[1].cache_control', ttl: '5m' },
  ])
})

test('a request without its cache marks is otherwise the same', () => {
  const plain = withoutCacheMarks(marked)
  expect(cacheMarks(plain)).toEqual([])
  expect(JSON.stringify(plain)).toBe(
    JSON.stringify(marked, (key, value: unknown) => (key === 'cache_control' ? undefined : value)),
  )
})

test('a request that has no cache marks stays the same object', () => {
  const request = requestOf([{ role: 'user', content: [text()] }])
  expect(withoutCacheMarks(request)).toBe(request)
})
