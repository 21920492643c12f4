/** The classes of text by which vocabularies differ. */
export const textClasses = ['latin', 'digit', 'symbol', 'cjk', 'other'] as const

export type TextClass = (typeof textClasses)[number]

/** UTF-8 bytes of a text by class; `bytes` is their sum. */
export type TextProfile = Readonly<Record<TextClass, number>> & { readonly bytes: number }

const latin = 0
const digit = 1
const symbol = 2

const asciiClasses: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code >= 48 && code <= 57) return digit
  const letter = (code | 32) >= 97 && (code | 32) <= 122
  return letter || code <= 32 ? latin : symbol
})

/** Kana, Han, Hangul, full-width forms and their punctuation, by UTF-16 unit. */
function isCjk(unit: number): boolean {
  return (
    (unit >= 0x2e80 && unit <= 0x9fff) ||
    (unit >= 0xac00 && unit <= 0xd7af) ||
    (unit >= 0xf900 && unit <= 0xfaff) ||
    (unit >= 0xff00 && unit <= 0xffef)
  )
}

/** Measures a text in one pass. A lone surrogate counts as U+FFFD: three bytes of `other`. */
export function profileText(text: string): TextProfile {
  const ascii = new Uint32Array(3)
  let twoByteLatin = 0
  let cjk = 0
  let other = 0
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit < 0x80) {
      const kind = asciiClasses[unit] ?? latin
      ascii[kind] = (ascii[kind] ?? 0) + 1
    } else if (unit < 0x250) twoByteLatin += 2
    else if (unit < 0x800) other += 2
    else if (isCjk(unit)) cjk += 3
    else if (unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00) {
      other += 4
      index += 1
    } else other += 3
  }
  const [letters = 0, digits = 0, symbols = 0] = ascii
  const latinBytes = letters + twoByteLatin
  const bytes = latinBytes + digits + symbols + cjk + other
  return { latin: latinBytes, digit: digits, symbol: symbols, cjk, other, bytes }
}
