import { splitsPair } from '../characters/splits-pair.ts'

/** UTF-16 units of a text that stay as they are: all but half a character at the end. */
export function wholeUnits(text: string): number {
  const endsInHalf = (text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800
  return text.length - Number(endsInHalf)
}

/** The same of a text in NFC, in which marks may yet join the last character before them. */
export function composedUnits(text: string): number {
  for (let at = wholeUnits(text) - 1; at > 0; at -= 1) {
    if (splitsPair(text, at)) at -= 1
    if (!isMark.test(String.fromCodePoint(text.codePointAt(at) ?? 0))) return at
  }
  return 0
}

/** Of the Unicode version that `normalize` has. */
const isMark = /\p{M}/u
