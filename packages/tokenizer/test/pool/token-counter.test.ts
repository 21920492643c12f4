import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { proofSize } from '../../../../scripts/testing/proof-size.ts'
import { countChatTokens } from '../../src/chat/count-chat-tokens.ts'
import { convertHuggingFace } from '../../src/convert/convert-hugging-face.ts'
import { createCounter } from '../../src/counter/counter.ts'
import { counterNames } from '../../src/counter/counter-name.ts'
import { buildVocabulary } from '../../src/engine/table/build-vocabulary.ts'
import { writeTableFile } from '../../src/engine/table/table-file.ts'
import { tokenizer } from '../../src/o200k-base.ts'
import { createTokenCounter, TokenQueueFullError } from '../../src/pool/create-token-counter.ts'
import type { TokenCounter, TokenCounterOptions } from '../../src/pool/token-counter.ts'
import { createTokenizer } from '../../src/vocabulary/create-tokenizer.ts'
import { characterVocabulary } from '../support/character-vocabulary.ts'
import { corpora } from '../support/corpora.ts'

/** More than is counted inline. */
const corpusLength = proofSize({ quick: 60_000, all: 150_000 })

const open: TokenCounter[] = []

/** On a busy machine, a count takes as long as it takes, unless a test is about its deadline. */
function tokenCounter(options: TokenCounterOptions = {}): TokenCounter {
  const counter = createTokenCounter({ cpuMilliseconds: 600_000, ...options })
  open.push(counter)
  return counter
}

afterEach(async () => {
  for (const counter of open.splice(0)) await counter.close()
})

const user = (content: string) => ({ role: 'user', content })
const chat = (...contents: readonly string[]) => ({
  counter: 'openai-o200k' as const,
  messages: contents.map(user),
})

test('threads count the same as one call, for every kind of text', async () => {
  const messages = [...corpora(corpusLength).values()].map(user)
  const expected = countChatTokens(messages, createCounter('openai-o200k', tokenizer))
  const counted = await tokenCounter({ workers: 2 }).countChat({
    counter: 'openai-o200k',
    messages,
  })
  expect(counted).toEqual(expected)
})

test('tools weigh the same in threads as in one call', async () => {
  const description = (corpora(60_000).get('mixed') ?? '').slice(0, 50_000)
  const tools = [{ type: 'function', function: { name: 'a', description } }]
  const messages = [user('Which tools are there?')]
  const counter = createCounter('openai-o200k', tokenizer)
  const pooled = tokenCounter({ inlineBytes: 0, workers: 1 })
  expect(await pooled.countChat({ counter: 'openai-o200k', messages, tools })).toEqual(
    countChatTokens(messages, counter, { tools }),
  )
})

test('an estimate is the same inline and in threads', async () => {
  const text = corpora(corpusLength).get('mixed') ?? ''
  const inline = await tokenCounter({ inlineBytes: 1 << 20 }).countText('claude', text)
  const pooled = await tokenCounter({ inlineBytes: 0 }).countText('claude', text)
  expect(pooled).toEqual(inline)
  expect(inline.method).toBe('estimate')
  expect(inline.tokens).toBeLessThanOrEqual(inline.upperBound)
})

test('a repeated text is counted from the cache', async () => {
  const counter = tokenCounter()
  const first = await counter.countChat(chat('word '.repeat(20_000)))
  expect(await counter.countChat(chat('word '.repeat(20_000)))).toEqual(first)
})

test('after the deadline the bound replaces what was not counted, and the count is marked degraded', async () => {
  const hostile = Array.from({ length: 20 }, (_, index) => `${'/'.repeat(100_000)}${index}`)
  const counter = tokenCounter({ cpuMilliseconds: 1 })
  const exact = createCounter('openai-o200k', tokenizer)
  const counted = await counter.countChat(chat(...hostile))
  expect(counted.degraded).toBe('deadline')
  expect(counted.method).toBe('estimate')
  expect(counted.tokens).toBeGreaterThan(countChatTokens(hostile.map(user), exact).tokens)
  expect(counted.tokens).toBeLessThanOrEqual(counted.upperBound)
})

test('a single piece of two million bytes stops at the deadline', async () => {
  const text = '/'.repeat(2_000_000)
  const counted = await tokenCounter({ cpuMilliseconds: 5 }).countText('openai-o200k', text)
  expect(counted).toEqual({
    tokens: 2_000_000,
    upperBound: 2_000_000,
    method: 'estimate',
    degraded: 'deadline',
  })
})

test('a count stopped by the deadline is not cached', async () => {
  const text = '/'.repeat(400_000)
  const counter = tokenCounter({ cpuMilliseconds: 1 })
  const first = await counter.countText('openai-o200k', text)
  const second = await counter.countText('openai-o200k', text)
  expect([first.degraded, second.degraded]).toEqual(['deadline', 'deadline'])
})

test('an aborted count rejects with the reason of its signal', async () => {
  const abort = new AbortController()
  const counter = tokenCounter()
  const counting = counter.countChat({ ...chat('/'.repeat(5_000_000)), signal: abort.signal })
  abort.abort(new Error('gone'))
  await expect(counting).rejects.toThrow('gone')
  await expect(counter.countChat({ ...chat('a'), signal: abort.signal })).rejects.toThrow('gone')
  expect((await counter.countChat(chat('word '.repeat(20_000)))).method).toBe('exact')
})

test('a full queue rejects, and accepts more once there is room', async () => {
  const counter = tokenCounter({ maxQueueBytes: 300_000 })
  const first = counter.countChat(chat('word '.repeat(20_000)))
  const refused = counter.countChat(chat('other '.repeat(20_000)))
  await expect(refused).rejects.toThrow(TokenQueueFullError)
  await expect(refused).rejects.toMatchObject({ code: 'token_queue_full' })
  await first
  expect((await counter.countChat(chat('other '.repeat(20_000)))).method).toBe('exact')
})

test('small requests get a turn while a large one is counted', async () => {
  const counter = tokenCounter({ workers: 1, cacheBytes: 0 })
  const done: string[] = []
  const large = counter
    .countText('openai-o200k', 'some words of a text '.repeat(500_000))
    .then(() => done.push('large'))
  const small = counter
    .countText('openai-o200k', 'word '.repeat(10_000))
    .then(() => done.push('small'))
  await Promise.all([large, small])
  expect(done).toEqual(['small', 'large'])
})

test('texts without a place to cut leave the event loop its turns', async () => {
  const counter = tokenCounter({ cacheBytes: 0 })
  const texts = Array.from({ length: 6 }, () => 'x'.repeat(1 << 20))
  const work = { turns: 0, isDone: false }
  const counted = counter.countChat({ ...chat(...texts), atMost: 0 }).then(() => {
    work.isDone = true
  })
  while (!work.isDone) {
    await setImmediate()
    work.turns += 1
  }
  await counted
  expect(work.turns).toBeGreaterThanOrEqual(texts.length)
})

test('closing rejects waiting and later counts', async () => {
  const counter = tokenCounter()
  const waiting = counter.countText('openai-o200k', 'word '.repeat(1_000_000))
  const rejected = expect(waiting).rejects.toMatchObject({ code: 'token_counter_closed' })
  await counter.close()
  await rejected
  await expect(counter.countText('openai-o200k', 'a')).rejects.toMatchObject({
    code: 'token_counter_closed',
  })
})

test('every counter counts with the shipped vocabularies, within its bound', async () => {
  const counter = tokenCounter()
  for (const name of counterNames) {
    const messages = [user('How many tokens are these?')]
    const counted = await counter.countChat({ counter: name, messages })
    expect(counted.tokens).toBeGreaterThan(5)
    expect(counted.tokens).toBeLessThanOrEqual(counted.upperBound)
  }
})

test("with a model's own vocabulary, a pool bounds tools as one call does", async () => {
  const { json } = characterVocabulary()
  const file = writeTableFile(buildVocabulary(convertHuggingFace(json, 'gemma3')))
  const folder = mkdtempSync(join(tmpdir(), 'farebox-vocabulary-'))
  const path = join(folder, 'gemma3.bin')
  writeFileSync(path, file)
  const messages = [user('the theme of this thesis')]
  const tools = [{ type: 'function', function: { name: 'other', parameters: { properties: {} } } }]
  const own = createCounter('gemini', createTokenizer(file))
  const pooled = tokenCounter({ vocabularies: { gemma3: path } })
  const counted = await pooled.countChat({ counter: 'gemini', messages, tools })
  expect(counted).toEqual(countChatTokens(messages, own, { tools }))
  const plain = await pooled.countChat({ counter: 'gemini', messages })
  // 8 for the tool, and 1 for each member, besides its name.
  expect(counted.upperBound - plain.upperBound).toBeGreaterThan(12)
  rmSync(folder, { recursive: true })
})

test('a count ends soon after its limit, and the rest is left out', async () => {
  const messages = Array.from({ length: 50 }, (_, index) => `${index} ${'word '.repeat(20_000)}`)
  const counted = await tokenCounter({ workers: 1 }).countChat({
    ...chat(...messages),
    atMost: 50_000,
  })
  expect(counted).toMatchObject({ degraded: 'limit', method: 'estimate' })
  expect(counted.tokens).toBeGreaterThan(50_000)
  expect(counted.tokens).toBeLessThan(150_000)
})

describe('what has just the tokens of the limit is counted as without one', () => {
  // One for all: its threads load a vocabulary once.
  let counter: TokenCounter
  beforeAll(() => {
    counter = createTokenCounter({ workers: 2, cacheBytes: 0, cpuMilliseconds: 600_000 })
  })
  afterAll(() => counter.close())

  test.each(counterNames)('%s', async (name) => {
    const texts = [...corpora(10_000).values()]
    const input = { counter: name, messages: texts.map(user) }
    const whole = await counter.countChat(input)
    expect(await counter.countChat({ ...input, atMost: whole.tokens })).toEqual(whole)
    const cut = await counter.countChat({ ...input, atMost: whole.tokens - 1 })
    expect(cut.tokens).toBe(whole.tokens)
  })
})

test('texts seen before count against the limit', async () => {
  const counter = tokenCounter()
  const messages = ['word '.repeat(20_000), 'other '.repeat(20_000)]
  await counter.countChat(chat(...messages.slice(0, 1)))
  const counted = await counter.countChat({ ...chat(...messages), atMost: 10_000 })
  expect(counted.degraded).toBe('limit')
  expect(counted.tokens).toBeGreaterThan(10_000)
  expect(counted.tokens).toBeLessThan(30_000)
})
