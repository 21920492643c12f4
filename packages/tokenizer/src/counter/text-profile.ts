/** The classes of text on which vocabularies differ. */
export const textClasses = [
  'latin',
  'accented',
  'digit',
  'symbol',
  'cjk',
  'syllabic',
  'cyrillic',
  'semitic',
  'brahmic',
  'other',
] as const

export type TextClass = (typeof textClasses)[number]

/** A number for each class. */
export type ByClass = Readonly<Record<TextClass, number>>

/** UTF-8 bytes of a text by class; `bytes` is their sum. */
export type TextProfile = ByClass & { readonly bytes: number }

/** Computes a number for each class. */
export function byClass(of: (name: TextClass, index: number) => number): Record<TextClass, number> {
  return {
    latin: of('latin', 0),
    accented: of('accented', 1),
    digit: of('digit', 2),
    symbol: of('symbol', 3),
    cjk: of('cjk', 4),
    syllabic: of('syllabic', 5),
    cyrillic: of('cyrillic', 6),
    semitic: of('semitic', 7),
    brahmic: of('brahmic', 8),
    other: of('other', 9),
  }
}

const other = textClasses.indexOf('other')

/** Boundaries of the classes from U+0080 on, by UTF-16 unit; surrogates are `other`. */
const borders: readonly (readonly [first: number, name: TextClass])[] = [
  [0x80, 'accented'],
  [0x370, 'cyrillic'], // with Greek and Armenian
  [0x590, 'semitic'],
  [0x900, 'brahmic'], // with Georgian and Ethiopic
  [0x1100, 'syllabic'], // Hangul letters
  [0x1200, 'brahmic'],
  [0x1e00, 'accented'],
  [0x1f00, 'cyrillic'],
  [0x2000, 'other'],
  [0x2e80, 'cjk'],
  [0x3040, 'syllabic'], // kana, Bopomofo, Hangul letters
  [0x3190, 'cjk'],
  [0xa000, 'other'],
  [0xac00, 'syllabic'],
  [0xd7b0, 'other'],
  [0xf900, 'cjk'],
  [0xfb00, 'other'],
  [0xff00, 'cjk'],
  [0xfff0, 'other'],
]

/** The class of each UTF-16 unit. */
const classes: Uint8Array = new Uint8Array(0x10000)
for (let code = 0; code < 128; code += 1) {
  const letter = (code | 32) >= 97 && (code | 32) <= 122
  const name = code >= 48 && code <= 57 ? 'digit' : letter || code <= 32 ? 'latin' : 'symbol'
  classes[code] = textClasses.indexOf(name)
}
for (const [index, [first, name]] of borders.entries()) {
  classes.fill(textClasses.indexOf(name), first, borders[index + 1]?.[0])
}

/** Measures a text in one pass. A lone surrogate counts as U+FFFD: three bytes of `other`. */
export function profileText(text: string): TextProfile {
  const counts = new Uint32Array(textClasses.length)
  let bytes = 0
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    let kind = classes[unit] ?? other
    let size = unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3
    if (unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00) {
      kind = other
      size = 4
      index += 1
    }
    counts[kind] = (counts[kind] ?? 0) + size
    bytes += size
  }
  return { ...byClass((_, index) => counts[index] ?? 0), bytes }
}
