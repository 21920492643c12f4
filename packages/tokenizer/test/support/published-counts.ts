/** A family whose vocabulary is not on the npm registry, with published counts. */
export type PublishedCounts = {
  readonly source: string
  /** Texts, and their tokens by the vendor's own tokenizer. */
  readonly counts: readonly (readonly [text: string, tokens: number])[]
}

/** Texts of one test corpus, and their tokens in order: Kimi K3, GLM-4.5, GLM-5, MiniMax M2. */
const rows: readonly (readonly [string, readonly [number, number, number, number]])[] = [
  ['hello world', [2, 2, 2, 2]],
  ['Hello, world!', [4, 4, 4, 4]],
  ['The quick brown fox jumps over the lazy dog.', [10, 10, 10, 10]],
  ["I'm", [1, 2, 2, 1]],
  ["don't", [1, 2, 2, 1]],
  ["they're", [2, 2, 2, 2]],
  ["O'Brien", [3, 2, 2, 2]],
  ["ALLCAPS'S", [4, 4, 4, 4]],
  ['CamelCase', [2, 3, 3, 3]],
  ['XMLHttpRequest', [3, 2, 2, 3]],
  ['mixedScript123', [3, 3, 3, 3]],
  ['snake_case_name', [4, 3, 3, 4]],
  ['kebab-case-name', [4, 4, 4, 4]],
  ['1234567890', [4, 6, 6, 4]],
  ['3.14159', [4, 4, 4, 4]],
  ['1,000,000', [5, 5, 5, 5]],
  ['你好世界', [2, 2, 2, 2]],
  ['こんにちは', [5, 1, 1, 1]],
  ['안녕하세요', [5, 4, 4, 2]],
  ['Hello 你好 World', [4, 4, 4, 4]],
  ['café résumé naïve über', [9, 8, 8, 5]],
  ['日本語テスト 🎉', [7, 7, 7, 4]],
  ['مرحبا بالعالم', [7, 6, 6, 5]],
  ['🚀💡🎯', [6, 8, 5, 5]],
  ['fn main() { println!("Hello"); }', [9, 9, 9, 9]],
  ['def f(n):\n    if n <= 1:\n        return n\n    return f(n-1)', [22, 22, 22, 22]],
  ['import os\n\nfrom a.b import c\n', [9, 9, 9, 9]],
  ['https://example.com/path?q=1&r=2', [12, 11, 11, 12]],
  ['/abs/path/file.rs', [4, 5, 5, 4]],
  ['// comment\n/* block */', [6, 6, 6, 6]],
  ['Hello!!! What?? Yes... No---maybe', [9, 9, 9, 9]],
  ['# Title\n\nPara one.\n\nPara two.\n\n- item\n- item\n', [15, 15, 15, 15]],
  ['json:\n{\n  "a": 1,\n\n  "b": 2\n}\n', [18, 18, 18, 18]],
  ['CSV\r\n1,2,3\r\n4,5,6\r\n', [14, 14, 14, 14]],
]

const fixtures = 'github.com/goliajp/rust-tiktoken, tiktoken/tests/fixtures'

const column = (index: 0 | 1 | 2 | 3): PublishedCounts => ({
  source: fixtures,
  counts: rows.map(([text, tokens]) => [text, tokens[index]]),
})

type PublishedName = 'Kimi K3' | 'GLM-4.5' | 'GLM-5' | 'MiniMax M2' | 'Llama 4'

export const publishedCounts: Readonly<Record<PublishedName, PublishedCounts>> = {
  'Kimi K3': column(0),
  'GLM-4.5': column(1),
  'GLM-5': column(2),
  'MiniMax M2': column(3),
  'Llama 4': {
    source: 'github.com/ggml-org/llama.cpp, models/ggml-vocab-llama4.gguf.out',
    counts: [
      ['ied 4 ½ months', 6],
      ['Hello world', 2],
      [' Hello World!', 3],
      ['Hello, world!', 4],
      [' this is 🦙.cpp', 7],
      ['w048 7tuijk dsdfhu', 9],
      ['нещо на Български', 6],
      ['កាន់តែពិសេសអាចខលចេញ', 11],
      ["Hello, y'all! How are you 😁 ?我想在apple工作1314151天～", 20],
      ['3333', 2],
      ['33333333', 3],
      ['Cửa Việt', 3],
      [' discards', 2],
    ],
  },
}
