import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import * as deepseek from '../../src/deepseek.ts'
import * as qwen from '../../src/qwen.ts'
import * as tekken from '../../src/tekken.ts'
import { fuzzString } from '../support/fuzz.ts'
import { idsDigest } from '../support/ids-digest.ts'
import { seeded } from '../support/seeded.ts'
import { wellFormed } from '../support/well-formed.ts'

type Vectors = {
  readonly seed: number
  readonly stringsPerBatch: number
  readonly batches: readonly { readonly tokens: number; readonly digest: string }[]
}

const families = [
  ['qwen', qwen],
  ['deepseek', deepseek],
  ['tekken', tekken],
] as const

/** Vectors of Hugging Face's native tokenizers, by scripts/compare-with-hugging-face.ts. */
test.each(families)('%s produces the ids of an independent tokenizer', (name, { encode }) => {
  const file = new URL(`../vectors/${name}.json`, import.meta.url)
  const { seed, stringsPerBatch, batches }: Vectors = JSON.parse(readFileSync(file, 'utf8'))
  const random = seeded(seed)
  const found = batches.map(() => {
    const strings = Array.from({ length: stringsPerBatch }, () => fuzzString(random))
    const ids = strings.flatMap((text) => [...encode(text), -1])
    return { tokens: ids.length - stringsPerBatch, digest: idsDigest(ids) }
  })
  expect(found).toEqual(batches)
})

test.each(families)('%s decodes to the normalized text', (name, { encode, decode }) => {
  const random = seeded(5)
  for (let count = 0; count < 2000; count += 1) {
    const text = wellFormed(fuzzString(random))
    expect(decode(encode(text))).toBe(name === 'qwen' ? text.normalize('NFC') : text)
  }
})
