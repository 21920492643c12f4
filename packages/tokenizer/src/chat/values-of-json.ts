/** The keys and values of a JSON text, a line each; any other text as it is. */
export function valuesOfJson(text: string): string {
  const parsed = parseJson(text)
  if (parsed === undefined) return text
  const lines: string[] = []
  const left: unknown[] = [parsed.value]
  while (left.length > 0) {
    const value = left.pop()
    if (Array.isArray(value)) for (const item of value) left.push(item)
    else if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) {
        lines.push(key)
        left.push(member)
      }
    } else lines.push(String(value))
  }
  return lines.join('\n')
}

function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}
