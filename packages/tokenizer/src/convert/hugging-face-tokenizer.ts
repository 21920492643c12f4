/** The fields of a `tokenizer.json` that determine how text becomes tokens. */
export type HuggingFaceTokenizer = {
  readonly added_tokens: readonly {
    readonly id: number
    readonly content: string
    readonly special?: boolean
  }[]
  readonly normalizer: {
    readonly type: string
    readonly normalizers?: readonly unknown[]
    readonly pattern?: unknown
    readonly content?: string
  } | null
  readonly pre_tokenizer: unknown
  readonly model: {
    readonly type: string
    readonly ignore_merges?: boolean
    readonly byte_fallback?: boolean
    readonly vocab: Readonly<Record<string, number>>
    readonly merges: readonly (string | readonly [string, string])[]
  }
}
