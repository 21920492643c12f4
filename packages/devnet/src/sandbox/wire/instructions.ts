/** Instructions of a request or a rule. Every count is of content tokens. */
export type Instructions = ReadonlyMap<string, string>

/** Valid instructions. Any other key is an error. */
const instructionKeys = [
  'status',
  'retry_after',
  'error_type',
  'slow_first_byte',
  'close_before_headers',
  'close_after_headers',
  'html',
  'garbage',
  'garbage_after',
  'endless_line',
  'cut_after',
  'cut_inside_event',
  'end_after',
  'stall_after',
  'error_event_after',
  'finish',
  'no_done',
  'no_usage',
  'usage',
  'comments',
  'chunk_bytes',
  'tokens',
  'reasoning',
  'echo',
  'tool',
  'citations',
  'pictures',
  'first_token_ms',
  'tokens_per_second',
  'images',
  'cost',
  'nsfw',
  'label',
] as const

const known = new Set<string>(instructionKeys)
/** A bracket ends the search, which would continue to the end of the text from each start of a block. */
const block = /\[\[sandbox:([^[\]]*)\]\]/g
const word = /([a-z_]+)(?:=("[^"]*"|[^\s,]+))?/g

/**
 * Reads `key=value` pairs and bare keys, separated by spaces or commas.
 *
 * @throws {RangeError} if a key is unknown.
 */
export function parseInstructions(text: string): Instructions {
  const found = new Map<string, string>()
  for (const [, key = '', value = ''] of text.matchAll(word)) {
    if (!known.has(key)) throw new RangeError(`"${key}" is not a sandbox instruction`)
    found.set(key, value.replace(/^"|"$/g, ''))
  }
  return found
}

/** The instructions in the `[[sandbox: …]]` blocks of a text; throws if one is unknown. */
export function instructionsIn(text: string): Instructions {
  const inner = [...text.matchAll(block)].map(([, words = '']) => words).join(' ')
  return parseInstructions(inner)
}

/** A text without its instruction blocks. */
export function withoutInstructions(text: string): string {
  return text.replaceAll(block, '').trim()
}

/** The numeric value of an instruction. */
export function numberFrom(instructions: Instructions, key: string): number | undefined {
  const text = instructions.get(key)
  if (text === undefined) return undefined
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}
