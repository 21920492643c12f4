import type { Seeded } from './seeded.ts'

/** Characters that normal forms lengthen, shorten, join or sort, mixed with unaffected ones. */
export const lengthened: readonly string[] = [
  ...['\ufdfa', '\u{1d160}', '\u0958', '\ufb2c', '½', '㈱', 'ﬃ', '\u0344', '\uff76', '\uff9e'],
  ...['e', '\u00e9', '\u0323', '\u0301', '\u0308', '\u0316', '\u1f82', '\u0345', '\u3099', 'か'],
  ...['\u1100', '\u1161', '\u11a8', '\uac00', '\u314f', '\uffc2', '\u{16d67}', '\u{11131}'],
  ...['\u{1d165}', '\u{1d16e}', '\ud834', '\udd65', '的', '😀', ' ', 'a'],
]

export function lengthenedString({ below, pick }: Seeded): string {
  return Array.from({ length: 1 + below(60) }, () => pick(lengthened)).join('')
}
