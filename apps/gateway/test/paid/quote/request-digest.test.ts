import { hash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { requestDigest } from '../../../src/paid/quote/request-digest.ts'

const mebi = 1024 * 1024
const digest = (request: Readonly<Record<string, unknown>>) => requestDigest('/v1/x', request)

/** How often others have their turn while a request is digested. */
async function turnsDuring(request: Readonly<Record<string, unknown>>): Promise<number> {
  const work = { turns: 0, isDone: false }
  const digested = digest(request).then(() => {
    work.isDone = true
  })
  while (!work.isDone) {
    await setImmediate()
    work.turns += 1
  }
  await digested
  return work.turns
}

describe('the digest of a request', () => {
  test('is the SHA-256 of its path and JSON, up to a mebibyte of text', async () => {
    const request = { a: ['漢', null, 1], b: { c: undefined, d: true }, e: 'a'.repeat(mebi - 9) }
    expect(await digest(request)).toBe(hash('sha256', `/v1/x\n${JSON.stringify(request)}`))
  })

  test.each([
    ['a short', ''],
    ['a long', 'a'.repeat(mebi + 1)],
  ])('is the same only for the same JSON of %s request', async (_, long) => {
    const text = fc.constantFrom('', 'a', 'a'.repeat(65), `${'a'.repeat(65)}b`, 'b'.repeat(66))
    const request = fc.dictionary(fc.constantFrom('a', 'b'), fc.oneof(text, fc.array(text)))
    await fc.assert(
      fc.asyncProperty(request, request, async (one, other) => {
        const isSame = JSON.stringify(one) === JSON.stringify(other)
        const [first, second] = [await digest({ long, one }), await digest({ long, one: other })]
        expect(first === second).toBe(isSame)
      }),
      { numRuns: long === '' ? 500 : 50 },
    )
  })

  test('differs by half of a character where a text is cut', async () => {
    const before = 'a'.repeat(mebi - 1)
    expect(await digest({ a: `${before}\ud83d\ude00` })).not.toBe(
      await digest({ a: `${before}\ud83e\ude00` }),
    )
  })

  test.each([
    ['one text', { a: 'a'.repeat(16 * mebi) }],
    ['many texts', { a: Array.from({ length: 16 * 1024 }, () => 'a'.repeat(65)) }],
  ])('lets others have their turn while it takes %s', async (_, request) => {
    expect(await turnsDuring(request)).toBeGreaterThan(10)
  })
})
