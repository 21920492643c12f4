import type { HuggingFaceTokenizer } from '../../src/convert/hugging-face-tokenizer.ts'

/** Kinds of pieces in `sentencepiece_model.proto`. */
const kinds = { normal: 1, unknown: 2, control: 3, userDefined: 4, byte: 6 } as const

const bpe = 2

/**
 * Reconstructs the SentencePiece model behind a `tokenizer.json`, as far as it affects tokens:
 * pieces with scores in the order of merging, user-defined symbols, special tokens not matched in texts.
 * Field numbers are those of `sentencepiece_model.proto`.
 */
export function sentencePieceModel({ model, added_tokens: added }: HuggingFaceTokenizer): Buffer {
  const specialOf = new Map(added.map(({ content, special }) => [content, special === true]))
  const order = new Map<string, number>()
  for (const merge of model.merges) {
    const text = typeof merge === 'string' ? merge.replace(' ', '') : merge.join('')
    if (!order.has(text)) order.set(text, order.size)
  }
  const kindOf = (text: string): number => {
    if (text === '<unk>') return kinds.unknown
    const special = specialOf.get(text)
    if (special !== undefined) return special ? kinds.control : kinds.userDefined
    return /^<0x[0-9A-F]{2}>$/.test(text) ? kinds.byte : kinds.normal
  }
  const pieces = Object.entries(model.vocab)
    .sort(([, a], [, b]) => a - b)
    .map(([text]) =>
      field(
        1,
        Buffer.concat([
          field(1, Buffer.from(text)),
          float(2, -1 - (order.get(text) ?? order.size)),
          whole(3, kindOf(text)),
        ]),
      ),
    )
  const idOf = (text: string): number => model.vocab[text] ?? 0
  const trainer = Buffer.concat([
    whole(3, bpe),
    whole(4, pieces.length),
    whole(35, 1), // byte_fallback
    ...[40, 41, 42, 43].map((id, at) => whole(id, idOf(named[at] ?? ''))),
    ...[45, 46, 47, 48].map((name, at) => field(name, Buffer.from(named[at] ?? ''))),
  ])
  // No dummy prefix; keep all white space; spaces become U+2581.
  const normalizer = Buffer.concat([
    field(1, Buffer.from('identity')),
    ...[whole(3, 0), whole(4, 0), whole(5, 1)],
  ])
  return Buffer.concat([...pieces, field(2, trainer), field(3, normalizer)])
}

/** In the order of the fields: unknown, beginning, end and padding. */
const named = ['<unk>', '<bos>', '<eos>', '<pad>']

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128)
  return Buffer.from([...bytes, rest])
}

const whole = (number: number, value: number): Buffer =>
  Buffer.concat([varint(number << 3), varint(value)])

const field = (number: number, value: Buffer): Buffer =>
  Buffer.concat([varint((number << 3) | 2), varint(value.length), value])

function float(number: number, value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeFloatLE(value)
  return Buffer.concat([varint((number << 3) | 5), bytes])
}
