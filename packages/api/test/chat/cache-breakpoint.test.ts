import { expect, test } from 'vitest'
import { chatMessageSchema } from '../../src/index.ts'

const prompt_cache_breakpoint = { mode: 'explicit' }
const text = { type: 'text', text: 'Hello' }
const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } }

test.each([
  ['system', {}, [text]],
  ['developer', {}, [text]],
  ['user', {}, [text, image]],
  ['assistant', {}, [text]],
  ['tool', { tool_call_id: 'a' }, [text, image]],
])('the cache breakpoints of OpenAI in a %s message are taken and dropped', (role, rest, parts) => {
  const content = parts.map((part) => ({ ...part, prompt_cache_breakpoint }))
  const parsed = chatMessageSchema.parse({ role, ...rest, content })
  expect(parsed).toEqual({ role, ...rest, content: parts })
  expect(JSON.stringify(parsed)).not.toContain('breakpoint')
})

test('a breakpoint of an unknown mode is refused', () => {
  const content = [{ ...text, prompt_cache_breakpoint: { mode: 'implicit' } }]
  expect(chatMessageSchema.safeParse({ role: 'user', content }).success).toBe(false)
})
