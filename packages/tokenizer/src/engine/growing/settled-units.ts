/** UTF-16 units of a text that stay as they are: all but half a character at the end. */
export function wholeUnits(text: string): number {
  return text.length - Number(isHalf(text.charCodeAt(text.length - 1), 0xd800))
}

/** The same of a text in NFC, in which marks may yet join the last character before them. */
export function composedUnits(text: string): number {
  for (let at = wholeUnits(text) - 1; at > 0; at -= 1) {
    const isSecond = isHalf(text.charCodeAt(at), 0xdc00) && isHalf(text.charCodeAt(at - 1), 0xd800)
    if (isSecond) at -= 1
    if (!isMark.test(String.fromCodePoint(text.codePointAt(at) ?? 0))) return at
  }
  return 0
}

/** Of the Unicode version that `normalize` has. */
const isMark = /\p{M}/u

function isHalf(unit: number, half: 0xd800 | 0xdc00): boolean {
  return (unit & 0xfc00) === half
}
