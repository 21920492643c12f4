/** The candidate that shares the most words and signs with a text; undefined without candidates. */
export function mostSimilar(text: string, candidates: readonly string[]): string | undefined {
  const wanted = partsOf(text)
  const shareOf = (candidate: string): number => {
    const parts = partsOf(candidate)
    const common = parts.filter((part) => wanted.includes(part)).length
    return common / Math.max(parts.length, wanted.length)
  }
  return candidates.toSorted((a, b) => shareOf(b) - shareOf(a)).at(0)
}

function partsOf(text: string): readonly string[] {
  return text.match(/\w+|[^\s\w]+/g) ?? []
}
