import { get_encoding, type Tiktoken } from 'tiktoken'
import { afterAll, expect, test } from 'vitest'
import * as cl100k from '../src/cl100k-base.ts'
import * as o200k from '../src/o200k-base.ts'
import * as harmony from '../src/o200k-harmony.ts'
import * as p50k from '../src/p50k-base.ts'
import * as r50k from '../src/r50k-base.ts'
import type { Tokenizer } from '../src/tokenizer.ts'
import { codePointProbes } from './support/code-point-probes.ts'
import { corpora } from './support/corpora.ts'
import { fuzzString } from './support/fuzz.ts'
import { seeded } from './support/seeded.ts'
import { wellFormed } from './support/well-formed.ts'

type Pair = { readonly name: string; readonly ours: Tokenizer; readonly theirs: Tiktoken }

/** tiktoken has no harmony; its ordinary tokens are those of o200k_base. */
const pairs: readonly Pair[] = [
  { name: 'o200k_base', ours: o200k.tokenizer, theirs: get_encoding('o200k_base') },
  { name: 'o200k_harmony', ours: harmony.tokenizer, theirs: get_encoding('o200k_base') },
  { name: 'cl100k_base', ours: cl100k.tokenizer, theirs: get_encoding('cl100k_base') },
  { name: 'p50k_base', ours: p50k.tokenizer, theirs: get_encoding('p50k_base') },
  { name: 'r50k_base', ours: r50k.tokenizer, theirs: get_encoding('r50k_base') },
]

afterAll(() => {
  for (const { theirs } of pairs) theirs.free()
})

function expectEqual({ ours, theirs }: Pair, text: string): void {
  const expected = Array.from(theirs.encode_ordinary(text))
  const found = ours.encode(text)
  const equal = expected.length === found.length && expected.every((id, at) => id === found[at])
  if (!equal) expect({ text, ids: found }).toEqual({ text, ids: expected })
  if (ours.countTokens(text) !== expected.length) {
    expect({ text, tokens: ours.countTokens(text) }).toEqual({ text, tokens: expected.length })
  }
}

test.each(pairs)('$name makes the tokens of tiktoken on 20,000 fuzz strings', (pair) => {
  const random = seeded(16)
  for (let count = 0; count < 20_000; count += 1) expectEqual(pair, fuzzString(random))
})

test.each(pairs)('$name makes the tokens of tiktoken on eight kinds of text', (pair) => {
  for (const text of corpora(128_000).values()) expectEqual(pair, text)
})

test.each(pairs)('$name classifies code points as tiktoken does', (pair) => {
  for (const text of codePointProbes(37)) expectEqual(pair, text)
})

test.each(pairs)('$name decodes what it encodes', ({ ours }) => {
  const random = seeded(61)
  for (let count = 0; count < 5000; count += 1) {
    const text = fuzzString(random)
    expect(ours.decode(ours.encode(text))).toBe(wellFormed(text))
  }
})
