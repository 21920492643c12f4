/**
 * Counting speed compared with the peers, by kind of text: all in one process, called in turn on each
 * slice, the best of six rounds, summed. Ratios are valid on a busy machine; absolute figures are not.
 * A peer whose count differs from tiktoken's is marked with `!`. All caches are emptied before each
 * call; with `kept` they are not, so every library except tiktoken, which has none, has the slice cached.
 *
 * Usage: `node bench/speed.ts [o200k_base|cl100k_base] [kept]`
 */
import AiTokenizer from 'ai-tokenizer'
import * as aiCl100k from 'ai-tokenizer/encoding/cl100k_base'
import * as aiO200k from 'ai-tokenizer/encoding/o200k_base'
import * as gptCl100k from 'gpt-tokenizer/encoding/cl100k_base'
import * as gptO200k from 'gpt-tokenizer/encoding/o200k_base'
import { get_encoding } from 'tiktoken'
import { countTokens, createEngine } from '../src/engine/engine.ts'
import { loadShippedVocabulary } from '../src/vocabulary/shipped-vocabulary.ts'
import { corpora } from '../test/support/corpora.ts'
import { worldText } from '../test/support/world-text.ts'

const encoding = process.argv[2] === 'cl100k_base' ? 'cl100k_base' : 'o200k_base'
const forgets = process.argv[3] !== 'kept'
const slices = 16
const sliceUnits = 16 << 10
const rounds = 6

const engine = createEngine(loadShippedVocabulary(encoding))
const tiktoken = get_encoding(encoding)
const gpt = encoding === 'o200k_base' ? gptO200k : gptCl100k
const ai = new AiTokenizer(encoding === 'o200k_base' ? aiO200k : aiCl100k)
const plain = { disallowedSpecial: new Set<string>() }

type Contender = {
  readonly name: string
  readonly count: (text: string) => number
  readonly forget: () => void
}

const contenders: readonly Contender[] = [
  { name: 'tiktoken', count: (text) => tiktoken.encode_ordinary(text).length, forget: () => {} },
  {
    name: 'farebox',
    count: (text) => countTokens(engine, text),
    forget: () => {
      engine.state.pairMemo.fill(-1)
      engine.state.pieceMemo.fill(0)
    },
  },
  {
    name: 'gpt-tokenizer',
    count: (text) => gpt.countTokens(text, plain),
    forget: gpt.clearMergeCache,
  },
  {
    name: 'ai-tokenizer',
    count: (text) => ai.encode(text, 'all').length,
    forget: () => {
      const memo: unknown = Reflect.get(ai, 'mergeCache')
      if (memo instanceof Map) memo.clear()
    },
  },
]

process.stdout.write(
  `${encoding}, MB/s\n|text|${contenders.map(({ name }) => name).join('|')}|ratio|\n`,
)
const world = worldText()
const kinds = world === undefined ? [] : [['528 languages', world] as const]
for (const [name, text] of [...corpora(slices * sliceUnits * 4), ...kinds]) {
  const parts = Array.from({ length: slices }, (_, index) => {
    const start = Math.floor(index * Math.min(sliceUnits * 4, text.length / slices))
    return text.slice(start, start + sliceUnits).replaceAll(/\p{Surrogate}/gu, '')
  })
  const bytes = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0)
  const times = measure(parts)
  const speeds = times.map(
    ({ time, differs }) => `${(bytes / time / 1000).toFixed(1)}${differs ? '!' : ''}`,
  )
  const [first, second] = times
  const ratio = (first?.time ?? 0) / (second?.time ?? 1)
  process.stdout.write(`|${name}|${speeds.join('|')}|${ratio.toFixed(1)}|\n`)
}

function measure(parts: readonly string[]): readonly { time: number; differs: boolean }[] {
  const results = contenders.map(() => ({ time: 0, differs: false }))
  for (const part of parts) {
    const best = contenders.map(() => Number.POSITIVE_INFINITY)
    const expected = contenders[0]?.count(part)
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, { count, forget }] of contenders.entries()) {
        if (forgets) forget()
        const start = performance.now()
        const counted = count(part)
        best[index] = Math.min(best[index] ?? 0, performance.now() - start)
        const result = results[index]
        if (result !== undefined && counted !== expected) result.differs = true
      }
    }
    for (const [index, result] of results.entries()) result.time += best[index] ?? 0
  }
  return results
}
