import { get_encoding, type Tiktoken } from 'tiktoken'
import { afterAll, expect, test } from 'vitest'
import { proofSize } from '../../../../scripts/testing/proof-size.ts'
import * as cl100k from '../../src/cl100k-base.ts'
import * as o200k from '../../src/o200k-base.ts'
import * as harmony from '../../src/o200k-harmony.ts'
import * as p50k from '../../src/p50k-base.ts'
import * as r50k from '../../src/r50k-base.ts'
import type { Tokenizer } from '../../src/vocabulary/tokenizer.ts'
import { codePointProbes } from '../support/code-point-probes.ts'
import { corpora } from '../support/corpora.ts'
import { fuzzString } from '../support/fuzz.ts'
import { seeded } from '../support/seeded.ts'
import { wellFormed } from '../support/well-formed.ts'

type Pair = { readonly name: string; readonly ours: Tokenizer; readonly theirs: Tiktoken }

const pairs: readonly Pair[] = [
  { name: 'o200k_base', ours: o200k.tokenizer, theirs: get_encoding('o200k_base') },
  { name: 'cl100k_base', ours: cl100k.tokenizer, theirs: get_encoding('cl100k_base') },
  { name: 'p50k_base', ours: p50k.tokenizer, theirs: get_encoding('p50k_base') },
  { name: 'r50k_base', ours: r50k.tokenizer, theirs: get_encoding('r50k_base') },
]

afterAll(() => {
  for (const { theirs } of pairs) theirs.free()
})

/** The texts on which ids or counts differ. */
function differences({ ours, theirs }: Pair, texts: Iterable<string>): readonly string[] {
  const found: string[] = []
  for (const text of texts) {
    const expected = theirs.encode_ordinary(text)
    const ids = ours.encode(text)
    const equal = expected.length === ids.length && expected.every((id, at) => id === ids[at])
    if (!equal || ours.countTokens(text) !== ids.length) found.push(text.slice(0, 200))
  }
  return found
}

function fuzzStrings(seed: number, count: number): readonly string[] {
  const random = seeded(seed)
  return Array.from({ length: count }, () => fuzzString(random))
}

const fuzzCount = proofSize({ quick: 1_000, all: 8_000 })
const stride = proofSize({ quick: 740, all: 37 })
const corpusLength = proofSize({ quick: 8_000, all: 64_000 })

test.each(pairs)(`$name equals tiktoken on ${fuzzCount} fuzz strings`, (pair) => {
  expect(differences(pair, fuzzStrings(16, fuzzCount))).toEqual([])
})

test.each(pairs)('$name equals tiktoken on eight kinds of text', (pair) => {
  expect(differences(pair, corpora(corpusLength).values())).toEqual([])
})

test.each(pairs)('$name classifies code points like tiktoken', (pair) => {
  expect(differences(pair, codePointProbes(stride))).toEqual([])
})

/** Long runs take a shortcut through the trie. */
function runs(): readonly string[] {
  const { below } = seeded(12)
  return [...'-=/*#_.~a \n\t!0\0\u00c4'].flatMap((unit) =>
    Array.from(
      { length: 40 },
      () => `x${unit.repeat(1 + below(700))}${unit}y${unit.repeat(below(99))}`,
    ),
  )
}

test.each(pairs)('$name equals tiktoken on runs of one character', (pair) => {
  expect(differences(pair, runs())).toEqual([])
})

test.each(pairs)('$name decodes what it encodes', ({ ours }) => {
  const changed = fuzzStrings(61, fuzzCount).filter(
    (text) => ours.decode(ours.encode(text)) !== wellFormed(text),
  )
  expect(changed).toEqual([])
})

test('o200k_harmony equals o200k_base, with its own special tokens', () => {
  for (const text of fuzzStrings(7, 500)) expect(harmony.encode(text)).toEqual(o200k.encode(text))
  expect(harmony.decode([200_006, 200_008])).toBe('<|start|><|message|>')
})
