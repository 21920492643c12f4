import { byteTokens } from '../bpe/character-atoms.ts'

/** The two parts of each token, and its next shorter prefix; see `BpeTables`. */
export type Splits = {
  readonly left: readonly number[]
  readonly right: readonly number[]
  readonly prefix: readonly number[]
}

/** Tokens as bytes by merge priority, and the priority of a merge if a list defines it. */
export type SplitSource = {
  readonly tokens: readonly (Uint8Array | null)[]
  /** Priority of joining two texts (bytes as Latin-1). Defaults to the number of the result. */
  readonly priorityOf?: (left: string, right: string) => number | undefined
  /**
   * What merging starts from. Defaults to bytes. For characters the first 256 tokens are the single
   * bytes, which encode characters without a token and never merge.
   */
  readonly atoms?: 'bytes' | 'characters'
}

type Merging = {
  readonly numberOf: ReadonlyMap<string, number>
  readonly priorityOf: (left: string, right: string) => number | undefined
  readonly atomsOf: (text: string) => readonly string[]
}

const maxTokenBytes = 255

/**
 * Replays the merges of every token's bytes until two parts remain or no merge is left. A single
 * byte or character has no parts.
 *
 * @throws VocabularyError if a byte or a character of a token has no token, or a token is longer than
 * 255 bytes.
 */
export function partsOfTokens({ tokens, priorityOf, atoms }: SplitSource): readonly Parts[] {
  const texts = tokens.map(latin1)
  const numberOf = numbersOf(texts)
  const byNumber = (left: string, right: string): number | undefined => numberOf.get(left + right)
  const atomsOf = atoms === 'characters' ? charactersOf : bytesOf
  const merging = { numberOf, priorityOf: priorityOf ?? byNumber, atomsOf }
  return texts.map((text) => (text === null ? [] : lastParts(text, merging)))
}

/** The tokens left by a token's merges: none, two, or more if the merges cannot produce it. */
export type Parts = readonly number[]

/**
 * Assigns the parts of tokens. If merges cannot produce a token, its parts are joined from the left
 * into numbers after the tokens.
 */
export function splitTokens({ tokens, atoms }: SplitSource, partsOf: readonly Parts[]): Splits {
  const texts = tokens.map(latin1)
  const numberOf = numbersOf(texts)
  const left = partsOf.map(([first], token) => first ?? token)
  const right = partsOf.map(([, second], token) => second ?? token)
  const isMade = (token: number): boolean => (partsOf[token]?.length ?? 0) <= 2
  const isPrefix = (token: number): boolean =>
    isMade(token) && (atoms !== 'characters' || token >= byteTokens)
  const prefix = texts.map((text) => prefixOf(text, numberOf, isPrefix))
  for (const [token, [first = 0, ...rest]] of partsOf.entries()) {
    if (isMade(token)) continue
    let joined = first
    for (const part of rest.slice(0, -1)) {
      right.push(part)
      joined = left.push(joined) - 1
      prefix.push(-1)
    }
    left[token] = joined
    right[token] = rest.at(-1) ?? 0
  }
  return { left, right, prefix }
}

function latin1(token: Uint8Array | null): string | null {
  return token === null ? null : String.fromCharCode(...token)
}

function numbersOf(texts: readonly (string | null)[]): ReadonlyMap<string, number> {
  const numberOf = new Map<string, number>()
  for (const [token, text] of texts.entries()) {
    if (text === null) continue
    if (text.length > maxTokenBytes)
      throw new VocabularyError(`has a token of ${text.length} bytes`)
    numberOf.set(text, token)
  }
  for (let byte = 0; byte < 256; byte += 1) {
    if (!numberOf.has(String.fromCharCode(byte)))
      throw new VocabularyError(`has no token for byte ${byte}`)
  }
  return numberOf
}

const bytesOf = (text: string): readonly string[] => Array.from(text, (byte) => byte)

/** UTF-8 read as Latin-1, by character. */
const charactersOf = (text: string): readonly string[] =>
  text.match(/[\xc0-\xff][\x80-\xbf]+|[\s\S]/g) ?? []

/** Merges the atoms of a token until two parts remain or no merge is left; empty for an atom. */
function lastParts(text: string, { numberOf, priorityOf, atomsOf }: Merging): Parts {
  const parts = [...atomsOf(text)]
  while (parts.length > 2) {
    const best = firstMerge(parts, priorityOf)
    if (best < 0) break
    parts.splice(best, 2, `${parts[best]}${parts[best + 1]}`)
  }
  const [first = '', second = ''] = parts
  if (parts.length === 2 && priorityOf(first, second) === undefined) {
    throw new VocabularyError(`has no merge of ${first} and ${second}`)
  }
  return parts.length === 1 ? [] : parts.map((part) => numberIn(numberOf, part))
}

function numberIn(numberOf: Merging['numberOf'], part: string): number {
  const number = numberOf.get(part)
  if (number === undefined) throw new VocabularyError(`has no token for a part of a token: ${part}`)
  return number
}

function firstMerge(parts: readonly string[], priorityOf: Merging['priorityOf']): number {
  let best = -1
  let priority = Number.POSITIVE_INFINITY
  for (let index = 0; index + 1 < parts.length; index += 1) {
    const found = priorityOf(parts[index] ?? '', parts[index + 1] ?? '')
    if (found === undefined || found >= priority) continue
    best = index
    priority = found
  }
  return best
}

/** The longest proper prefix that is a token which merges can produce, or -1. */
function prefixOf(
  text: string | null,
  numberOf: ReadonlyMap<string, number>,
  isPrefix: (token: number) => boolean,
): number {
  for (let length = (text?.length ?? 0) - 1; length > 0; length -= 1) {
    const token = numberOf.get(text?.slice(0, length) ?? '')
    if (token !== undefined && isPrefix(token)) return token
  }
  return -1
}

/** This engine does not support a vocabulary. */
export class VocabularyError extends Error {
  override readonly name = 'VocabularyError'
  readonly code = 'vocabulary'

  constructor(reason: string) {
    super(`The vocabulary ${reason}`)
  }
}
