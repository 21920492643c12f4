import type { Terms } from './terms.ts'

/** The terms of one price: a margin of its own replaces the general one. */
export function termsOf({ markupBps }: { readonly markupBps?: number }, terms: Terms): Terms {
  return markupBps === undefined ? terms : { ...terms, markupBps }
}
