import type { Seeded } from './seeded.ts'

type Pool = (random: Seeded) => string

const list =
  (...items: readonly string[]): Pool =>
  ({ pick }) =>
    pick(items)

const units =
  (first: number, last: number): Pool =>
  ({ below }) =>
    String.fromCharCode(first + below(last - first + 1))

const scalar: Pool = ({ below }) => {
  const codePoint = below(0x110000 - 0x800)
  return String.fromCodePoint(codePoint < 0xd800 ? codePoint : codePoint + 0x800)
}

/** Strings on which tokenizers differ; each pool is one kind of difficulty. */
const pools: readonly Pool[] = [
  units(0x20, 0x7e),
  list(' ', '  ', '\n', '\r\n', '\t', '\u00a0', '\u3000', '\u2028', '\u0085', '\v', '\r'),
  list(
    "'",
    "'s",
    "'S",
    "'ll",
    "'LL",
    "'Ve",
    "'re",
    "'d",
    "'m",
    "'t",
    "'\u017f",
    's',
    'L',
    'e',
    '’s',
  ),
  units(0xa0, 0x59f),
  units(0x4e00, 0x9fff),
  units(0x3040, 0x30ff),
  units(0xac00, 0xd7a3),
  list('😀', '👨‍👩‍👧‍👦', '🇩🇪', '👍🏽', '❤️', '☺'),
  list('\u0301', '\u0302', 'ʰ', 'ǅ', '\u200d', '\ufe0f', '\u0903', 'ª', 'A', 'b', 'Z', 'q'),
  units(0x30, 0x39),
  list('٣', 'Ⅷ', '½', '²', '۵', '1', '12345', '12345678901234567890'),
  scalar,
  list('!', '/', '\n', '\r', '//', '?!', '.', ',', '"', '(', '-', '=', '\n/'),
  list("don't", 'İ', 'ſ', 'ß', 'ﬃ', '\u212a', 'HelloWorld', 'CAMELCase', 'abc', ' the'),
  list('toString', '__proto__', 'hasOwnProperty', 'constructor', 'valueOf'),
  list('<|endoftext|>', '<|im_start|>', '<|start|>', '<s>', '[INST]', '<bos>', '\ufeff', '\ufffd'),
  units(0xd800, 0xdfff),
  units(0x61, 0x7a),
  units(0x41, 0x5a),
]

/** A string from one to four pools, usually short. */
export function fuzzString(random: Seeded): string {
  const chosen = Array.from({ length: 1 + random.below(4) }, () => random.pick(pools))
  const length = 1 + random.below(1 + random.below(120))
  return Array.from({ length }, () => random.pick(chosen)(random)).join('')
}
