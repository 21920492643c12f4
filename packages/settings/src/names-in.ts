/** The variables that a sentence names. */
export function namesIn(sentence: string): readonly string[] {
  return sentence.match(/\b[A-Z][A-Z0-9_]+\b/g) ?? []
}
