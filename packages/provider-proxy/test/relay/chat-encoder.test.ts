import type { ChatChunk } from '@farebox/api'
import { expect, test } from 'vitest'
import { createChatEncoder } from '../../src/relay/chat-encoder.ts'
import { chunksOf } from '../support/memory-sink.ts'

type Delta = ChatChunk['choices'][number]['delta']
type Details = NonNullable<Delta['reasoning_details']>

const frame = {
  id: 'c',
  object: 'chat.completion.chunk' as const,
  created: 1,
  model: 'maker/model',
  provider: 'sandbox',
}

function written(...steps: readonly (readonly [index: number, details: Details])[]) {
  const encode = createChatEncoder()
  const texts = steps.map(([index, reasoning_details]) =>
    encode({ ...frame, choices: [{ index, delta: { reasoning_details }, finish_reason: null }] }),
  )
  const ends = [0, 1].map((index) => ({ index, delta: {}, finish_reason: 'stop' as const }))
  return chunksOf([...texts, encode({ ...frame, choices: ends })])
}

const text = { type: 'reasoning.text', index: 0, text: 'Hm.' }
const signature = { type: 'reasoning.text', index: 0, signature: 'signed' }
const sealed = { type: 'reasoning.encrypted', index: 1, data: 'sealed' }

test('seals of several events are repeated without their text before the finish reason', () => {
  const chunks = written([0, [text]], [0, [signature]], [1, [sealed]], [0, [sealed]])
  expect(chunks).toHaveLength(6)
  expect(chunks[4]?.choices).toMatchObject([
    { index: 0, delta: { reasoning_details: [signature, sealed] }, finish_reason: null },
  ])
})

test('seals are repeated where text came after them', () => {
  const signed = { ...text, signature: 'signed' }
  const chunks = written([0, [signed]], [0, [{ ...text, index: 1 }]])
  expect(chunks[2]?.choices[0]?.delta.reasoning_details).toEqual([signature])
})

test('seals that came in the last event with reasoning are not repeated', () => {
  expect(written([0, [text]], [0, [signature, sealed]])).toHaveLength(3)
  expect(written([0, [text]], [0, [text]])).toHaveLength(3)
})

test.each<[string, Delta, string | undefined]>([
  ['a role alone', { role: 'assistant' }, ''],
  ['reasoning alone', { reasoning: 'Hm.' }, ''],
  ['text', { content: 'Hi' }, undefined],
  ['a refusal', { refusal: 'No.' }, undefined],
  ['a call', { tool_calls: [{ index: 0, id: 'a', function: { name: 'f' } }] }, undefined],
])('an answer of %s is followed by empty content if it says nothing', (_, delta, content) => {
  const encode = createChatEncoder()
  const other = { index: 1, delta: { content: 'Hi' }, finish_reason: null }
  const choices = [{ index: 0, delta, finish_reason: null }, other]
  const ends = [0, 1].map((index) => ({ index, delta: {}, finish_reason: 'stop' as const }))
  const chunks = chunksOf([encode({ ...frame, choices }), encode({ ...frame, choices: ends })])
  expect(chunks[1]?.choices.map((choice) => choice.delta.content)).toEqual([content, undefined])
})

test('an event may have more seals than a call takes arguments', () => {
  const seals = Array.from({ length: 200_000 }, () => sealed)
  expect(() => written([0, seals])).not.toThrow()
})
