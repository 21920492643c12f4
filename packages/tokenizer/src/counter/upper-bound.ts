import { splitsPair } from '../engine/characters/splits-pair.ts'

/** A form that a vocabulary may normalize a text to. */
export type NormalForm = 'NFC' | 'NFKC'

/** UTF-16 units normalized at a time, because sorting a run of marks takes quadratic time. */
const stretchUnits = 256

/**
 * How many bytes a slice may be too low if it is cut inside a run of marks: the last character
 * before the cut and its marks may then combine, although they do not in the whole text. Such a
 * character replaces at most four code points, so 16 bytes, on either side.
 */
const cutSlack = 32

/**
 * Code points that may combine with the one before: marks, the vowels and finals of Hangul, its
 * letters that normalize to those, half-width voicing marks, and the vowels of Kirat Rai.
 */
const joining = /^[\p{M}\u1160-\u11ff\u3130-\u318f\uff9e-\uffdf\udc00-\udfff\u{16d60}-\u{16d6f}]/u

/**
 * The most tokens of a text of `bytes` bytes in UTF-8 in a byte-level vocabulary: one per byte of
 * the text or of its normal form, whichever is longer.
 */
export function upperBound(text: string, bytes: number, forms: readonly NormalForm[]): number {
  let bound = 0
  for (const part of upperBoundParts(text, bytes, forms)) bound += part
  return bound
}

/** The terms of `upperBound`, each of bounded work, for callers that share their thread. */
export function* upperBoundParts(
  text: string,
  bytes: number,
  forms: readonly NormalForm[],
): Generator<number, void> {
  yield bytes
  // As many bytes as units: the text is ASCII, which normalizing does not change.
  if (forms.length === 0 || bytes === text.length) return
  for (let start = 0; start < text.length; ) {
    const stop = stretchEnd(text, start)
    const slack = stop < text.length && isJoining(text, stop) ? cutSlack : 0
    yield growth(text.slice(start, stop), forms) + slack
    start = stop
  }
}

/** The last place in a slice where normalizing starts afresh. */
function stretchEnd(text: string, start: number): number {
  const limit = start + stretchUnits
  if (limit >= text.length) return text.length
  for (let index = limit; index > start; index -= 1) {
    if (!isJoining(text, index)) return index
  }
  return splitsPair(text, limit) ? limit - 1 : limit
}

function isJoining(text: string, index: number): boolean {
  const unit = text.charCodeAt(index)
  return unit >= 0x300 && joining.test(text.slice(index, index + 2))
}

function growth(stretch: string, forms: readonly NormalForm[]): number {
  let most = 0
  for (const form of forms) {
    const normal = stretch.normalize(form)
    if (normal !== stretch) most = Math.max(most, utf8Length(normal) - utf8Length(stretch))
  }
  return most
}

/** Length in UTF-8 bytes; a lone surrogate counts as U+FFFD, three bytes. */
function utf8Length(text: string): number {
  let bytes = text.length
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit < 0x80) continue
    if (unit < 0x800) bytes += 1
    else {
      bytes += 2
      // The second half of a pair is counted with the first.
      if (splitsPair(text, index + 1)) index += 1
    }
  }
  return bytes
}
