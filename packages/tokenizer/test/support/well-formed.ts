/** A text with U+FFFD for each lone surrogate. */
export function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\ufffd')
}
