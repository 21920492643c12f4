/** How each token falls into two parts, and its next shorter prefix; `BpeTables` says more. */
export type Splits = {
  readonly left: readonly number[]
  readonly right: readonly number[]
  readonly prefix: readonly number[]
}

/** Tokens as bytes by merge priority, and the priority of a merge where a list rules it. */
export type SplitSource = {
  readonly tokens: readonly (Uint8Array | null)[]
  /** Priority of joining two texts (bytes as Latin-1). By default the number of what they make. */
  readonly priorityOf?: (left: string, right: string) => number | undefined
}

type Merging = {
  readonly numberOf: ReadonlyMap<string, number>
  readonly priorityOf: (left: string, right: string) => number | undefined
}

const longestToken = 255

/**
 * Replays the merges of every token's bytes until two parts remain. A token that merges cannot make
 * keeps what they leave: its parts are joined from the left into numbers behind the tokens.
 *
 * @throws VocabularyError if a byte has no token, a token is longer than 255 bytes, or one is made
 * of parts that merge later than itself.
 */
export function splitTokens({ tokens, priorityOf }: SplitSource): Splits {
  const texts = tokens.map((token) => (token === null ? null : String.fromCharCode(...token)))
  const numberOf = numbersOf(texts)
  const merging = {
    numberOf,
    priorityOf: priorityOf ?? ((left: string, right: string) => numberOf.get(left + right)),
  }
  const left: number[] = []
  const right: number[] = []
  const unmade = new Map<number, readonly number[]>()
  for (const [token, text] of texts.entries()) {
    const parts = text === null ? [] : lastParts(text, merging)
    left.push(parts[0] ?? token)
    right.push(parts[1] ?? token)
    if (parts.length > 2) unmade.set(token, parts)
    else if (parts.some((part) => part > token)) {
      throw new VocabularyError(`makes token ${token} of a part that merges later`)
    }
  }
  const prefix = texts.map((text) => prefixOf(text, numberOf, unmade))
  for (const [token, [first = 0, ...rest]] of unmade) {
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

function numbersOf(texts: readonly (string | null)[]): ReadonlyMap<string, number> {
  const numberOf = new Map<string, number>()
  for (const [token, text] of texts.entries()) {
    if (text === null) continue
    if (text.length > longestToken) throw new VocabularyError(`has a token of ${text.length} bytes`)
    numberOf.set(text, token)
  }
  for (let byte = 0; byte < 256; byte += 1) {
    if (!numberOf.has(String.fromCharCode(byte))) throw new VocabularyError(`lacks byte ${byte}`)
  }
  return numberOf
}

/** Merges the bytes of a token until two parts remain, or no merge is left; none for a byte. */
function lastParts(text: string, { numberOf, priorityOf }: Merging): readonly number[] {
  const parts = Array.from(text, (byte) => byte)
  while (parts.length > 2) {
    const best = firstMerge(parts, priorityOf)
    if (best < 0) break
    parts.splice(best, 2, `${parts[best]}${parts[best + 1]}`)
  }
  const [first = '', second = ''] = parts
  if (parts.length === 2 && priorityOf(first, second) === undefined) {
    throw new VocabularyError(`has no merge of ${first} and ${second}`)
  }
  return parts.length === 1 ? [] : parts.map((part) => numberOf.get(part) ?? 0)
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

/** The longest proper prefix that is a token which merges make, or -1. */
function prefixOf(
  text: string | null,
  numberOf: ReadonlyMap<string, number>,
  unmade: ReadonlyMap<number, unknown>,
): number {
  for (let length = (text?.length ?? 0) - 1; length > 0; length -= 1) {
    const token = numberOf.get(text?.slice(0, length) ?? '')
    if (token !== undefined && !unmade.has(token)) return token
  }
  return -1
}

/** A vocabulary cannot be counted by this engine. */
export class VocabularyError extends Error {
  override readonly name = 'VocabularyError'
  readonly code = 'vocabulary'

  constructor(reason: string) {
    super(`The vocabulary ${reason}`)
  }
}
