/** A value, or where bytes stop being JSON in UTF-8, as far as the runtime says. */
export type ParsedJson = { readonly value: unknown } | { readonly fault: JsonFault | undefined }

/** Both count from 1; columns are UTF-16 units. */
export type JsonFault = { readonly line: number; readonly column: number }

/** Parses the JSON in these blocks. */
export function parseJson(blocks: readonly Uint8Array[]): ParsedJson {
  try {
    return { value: JSON.parse(textIn(blocks)) }
  } catch (error) {
    return { fault: error instanceof Error ? faultIn(error.message) : undefined }
  }
}

/** V8 names the place of most faults. Its other messages quote the text. */
function faultIn(message: string): JsonFault | undefined {
  const [, line, column] = /\(line (\d+) column (\d+)\)$/.exec(message) ?? []
  return column === undefined ? undefined : { line: Number(line), column: Number(column) }
}

/** Keeps nothing between calls that are not streaming. */
const wholeText = new TextDecoder('utf-8', { fatal: true })

function textIn(blocks: readonly Uint8Array[]): string {
  const [first, ...others] = blocks
  if (others.length === 0) return wholeText.decode(first)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const parts = blocks.map((block) => decoder.decode(block, { stream: true }))
  return parts.join('') + decoder.decode()
}
