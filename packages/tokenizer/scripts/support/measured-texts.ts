import { corpora } from '../../test/support/corpora.ts'
import { wellFormed } from '../../test/support/well-formed.ts'
import { languageTexts } from './language-texts.ts'

/** Length of a text in UTF-16 units, about that of a long message. */
const unitsPerText = 1000

/** The kinds of text in most requests. */
export const everydayKinds: readonly string[] = ['English', 'code', 'JSON', 'mixed']

export type MeasuredText = { readonly kind: string; readonly text: string }

/** `perKind` texts of every kind: the corpora of the tests, and more languages. */
export function measuredTexts(perKind: number): readonly MeasuredText[] {
  const units = perKind * unitsPerText
  return [...corpora(units), ...languageTexts(units)].flatMap(([kind, all]) =>
    Array.from({ length: Math.floor(all.length / unitsPerText) }, (_, index) => ({
      kind,
      text: wellFormed(all.slice(index * unitsPerText, (index + 1) * unitsPerText)),
    })),
  )
}
