import { seeded } from './seeded.ts'

/** A text of about `length` UTF-16 units on which some tokenizer is slow. */
export type Shape = { readonly name: string; readonly make: (length: number) => string }

const run = (name: string, unit: string): Shape => ({
  name,
  make: (length) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length),
})

const random = (name: string, first: number, last: number): Shape => ({
  name,
  make: (length) => {
    const { below } = seeded(length)
    const chunks: string[] = []
    for (let left = length; left > 0; left -= 1024) {
      const codes = Array.from({ length: Math.min(left, 1024) }, () => first + below(last - first))
      chunks.push(String.fromCharCode(...codes))
    }
    return chunks.join('')
  },
})

/** The 37 shapes of the README's table of worst cases. */
export const shapes: readonly Shape[] = [
  run('a', 'a'),
  run('A', 'A'),
  run('ab', 'ab'),
  run('aA', 'aA'),
  run('A1', 'A1'),
  run('spaces', ' '),
  run('tabs', '\t'),
  run('LF', '\n'),
  run('CRLF', '\r\n'),
  run('space LF', ' \n'),
  run('/', '/'),
  run('=', '='),
  run('-', '-'),
  run('!', '!'),
  run("'s", "'s"),
  run('<|', '<|'),
  run('<|endoftext|>', '<|endoftext|>'),
  run('digits', '1234567890'),
  run('0', '0'),
  run('NUL', '\0'),
  run('NEL', '\u0085'),
  run('BOM', '\ufeff'),
  run('U+FFFD', '\ufffd'),
  run('lone surrogates', '\ud800'),
  run('combining acute', '\u0301'),
  run('one CJK character', '的'),
  run('same emoji', '😀'),
  run('family emoji', '👨‍👩‍👧‍👦'),
  run('Thai', 'สวัสดีครับยินดีต้อนรับ'),
  run('Arabic', 'السلامعليكم'),
  run('é', 'é'),
  random('random a-z', 0x61, 0x7b),
  random('random A-Z', 0x41, 0x5b),
  random('random ASCII', 0x21, 0x7f),
  random('random CJK', 0x4e00, 0x9fa6),
  random('random kana', 0x3041, 0x30ff),
  random('random Hangul', 0xac00, 0xd7a4),
]

/** Characters of several kinds, of which a tokenizer makes long words or many short ones. */
export const mixtures: readonly Shape[] = [
  run('a and é', 'aé'),
  run('accented letters and Chinese', 'aéßđ的ä'),
  run('Chinese and é', '的é'),
  run('= LF', '=\n'),
  run('// LF', '//\n'),
  run('LF space', '\n '),
  run('LF tab spaces', '\n\t  '),
  run('a combining acute', 'a\u0301'),
  run('rows of numbers', '17,-4,250\n'),
]
