import type { PhraseBan } from './phrase-bans.ts'

export type FoundPhrase = {
  readonly line: number
  readonly phrase: string
  readonly ban: PhraseBan
}

/** A space of a pattern: white space, or a line break with the start of a comment or a quote. */
const gap = String.raw`(?:[ \t]+|[ \t]*\r?\n[ \t]*(?:\*|//|>|#|-)?[ \t]*)`

/** Returns every banned phrase in a text, also those that a line break cuts. */
export function findPhrases(text: string, bans: readonly PhraseBan[]): readonly FoundPhrase[] {
  return bans.flatMap((ban) =>
    [...text.matchAll(new RegExp(ban.pattern.replaceAll(' ', gap), 'g'))].map(
      ({ 0: phrase, index }) => ({
        line: text.slice(0, index).split('\n').length,
        phrase: phrase.replaceAll(/\s+/g, ' '),
        ban,
      }),
    ),
  )
}
