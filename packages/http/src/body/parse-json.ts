/** A value, or `undefined` for bytes that are not JSON in UTF-8. */
export type ParsedJson = { readonly value: unknown } | undefined

/** Parses the JSON that lies in these blocks. */
export function parseJson(blocks: readonly Uint8Array[]): ParsedJson {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    let text = ''
    for (const block of blocks) text += decoder.decode(block, { stream: true })
    text += decoder.decode()
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}
