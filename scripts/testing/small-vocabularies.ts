import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Table files of two small vocabularies, one of each kind, and a text with the same count in both. */
export type SmallVocabularies = {
  readonly llama3: string
  readonly gemma3: string
}

/** This many words, each with six bytes and five tokens in both vocabularies; estimates are lower. */
export function countedWords(words: number): string {
  return ' thaxi'.repeat(words)
}

export const tokensPerWord = 5

const command = fileURLToPath(new URL('../../packages/tokenizer/src/cli.ts', import.meta.url))

/** Creates the table files below `folder` like an operator, with `farebox-tokenizer convert`. */
export function writeSmallVocabularies(folder: string): SmallVocabularies {
  mkdirSync(folder, { recursive: true })
  const sources = { llama3: ranks(), gemma3: JSON.stringify(characters()) }
  const convert = (name: keyof typeof sources): string => {
    const [source, file] = [join(folder, `${name}.source`), join(folder, `${name}.bin`)]
    writeFileSync(source, sources[name])
    const words = ['--conditions=farebox-source', command, 'convert', name, source, file]
    execFileSync(process.execPath, words)
    return file
  }
  return { llama3: convert('llama3'), gemma3: convert('gemma3') }
}

/** Like Llama 3's `tokenizer.model`: every byte, and one token of two. */
function ranks(): string {
  const bytes = Array.from({ length: 256 }, (_, byte) => Buffer.of(byte))
  return [...bytes, Buffer.from('th')]
    .map((token, rank) => `${token.toString('base64')} ${rank}\n`)
    .join('')
}

/** Like Gemma 3's `tokenizer.json`: bytes, characters, and one token of two of them. */
function characters(): object {
  const bytes = Array.from(
    { length: 256 },
    (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
  )
  const tokens = [...bytes, 'th', ...'▁abcdefghijklmnopqrstuvwxyz']
  return {
    added_tokens: [],
    normalizer: { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
    pre_tokenizer: { type: 'Split', pattern: { String: ' ' } },
    model: {
      type: 'BPE',
      byte_fallback: true,
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
      merges: [['t', 'h']],
    },
  }
}
