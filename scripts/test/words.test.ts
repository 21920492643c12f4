import { describe, expect, test } from 'vitest'
import { findPhrases } from '../words/find-phrases.ts'
import { phraseBans } from '../words/phrase-bans.ts'

function namesIn(text: string): readonly string[] {
  return findPhrases(text, phraseBans).map(({ ban }) => ban.name)
}

describe('a banned phrase', () => {
  test.each([
    ['baseUrl is no URL: nowhere', 'inverted negation'],
    ['// Two tokens that are no number.', 'inverted negation'],
    ['/** A file that is none. */', 'inverted negation'],
    ["message: 'there is none: each replica counts'", 'there is none'],
    ['// Whoever read the output has enough.', 'a person for a process'],
    ['docs/decisions/0010-nobody-writes-off-by-itself.md', 'a person for a process'],
    ['// The lease is free once its time is over.', 'time is over'],
    ['A lost payment is told of each day.', 'told'],
    ['Fails as told.', 'told'],
    ['rate limits without Redis, for want of a shared counter', 'for want of'],
    ['The table is made anew.', 'anew'],
    ["import { abortionOf } from './abortion.ts'", 'abortion'],
    ['const till = openPaywall(options)', 'till'],
    ['export type PayoutEvent = string', 'payout'],
    ['const text = typeInWords(value)', 'in words'],
    ['What is left goes back to the payer.', 'money that goes back'],
    ['It was served in another life of the process.', 'a life of a process'],
    ['The payment did come to its end.', 'comes to its end'],
    ['a body that says so', 'says so'],
    ['no container engine was at hand', 'at hand'],
    ['one authorisation buys one call', 'British spelling'],
    ['who leaves pays for the text', 'a person for a client'],
    ['sales stop and refunds go on', 'goes on'],
    ['The receipt is beside the headers.', 'beside'],
    ['or the value to take in its stead', 'stead'],
    ['as dear as the dearest template', 'dear'],
    ['const mostAttempts = 3', 'most or least in the name of a limit'],
    ['if (isUnended(payment)) return', 'a name that was replaced'],
  ])('is found: %s', (text, name) => {
    expect(namesIn(text)).toContain(name)
  })

  test('is found across the lines of a comment, on the line where it begins', () => {
    const text = '/**\n * The value is\n * no address.\n */\n// It goes\n  // back.\n'
    expect(findPhrases(text, phraseBans).map(({ line, phrase }) => [line, phrase])).toEqual([
      [2, 'is * no'],
      [5, 'goes // back'],
    ])
  })

  test('has a fix', () => {
    expect(phraseBans.filter(({ fix }) => fix === '')).toEqual([])
  })
})

test.each([
  'baseUrl is not a valid URL: nowhere',
  'const branch = mostSpecificBranch(issues)',
  'There is no refund to send, and the price is no longer valid.',
  'A bound is no less than its count.',
  'Ignores EPIPE: the reader has closed.',
  "PostgreSQL runs as 'nobody' or `nobody`.",
  'The lease has expired, and the loss is logged.',
  'A key tells counters and texts apart.',
  'The retry waits until the chain responds.',
  'The refund transfer is sent; the rest is refunded.',
  'The layout, in words of four bytes.',
  'The header says which version the file has.',
  'The gas is too expensive.',
  'Besides the price, it has its tokens.',
])('a native sentence is not found: %s', (text) => {
  expect(namesIn(text)).toEqual([])
})
