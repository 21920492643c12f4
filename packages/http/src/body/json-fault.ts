/** Where a text stops being JSON. Both count from 1; columns are UTF-16 units. */
export type JsonFault = { readonly line: number; readonly column: number }

type Expected = 'value' | 'value_or_end' | 'key' | 'key_or_end' | 'colon' | 'comma_or_end' | 'end'

/** Finds where a text stops being JSON, in one pass; undefined if it is JSON. */
export function findJsonFault(text: string): JsonFault | undefined {
  const patterns = {
    // Without its end, as far as it is one.
    string: /"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})[ !#-[\]-\uffff]*)*/y,
    word: /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][+-]?\d+)?|true|false|null/y,
  }
  const endOf = (kind: keyof typeof patterns, from: number): number => {
    const pattern = patterns[kind]
    pattern.lastIndex = from
    return pattern.test(text) ? pattern.lastIndex : from
  }

  const open: string[] = []
  let expected: Expected | undefined = 'value'
  let at = 0
  for (;;) {
    while (isSpace(text.charCodeAt(at))) at += 1
    const char = text.charAt(at)
    if (char === '') return expected === 'end' ? undefined : placeOf(text, at)
    const kind = kindOf(char)
    expected = expectedAfter(kind ?? char, expected, open)
    if (expected === undefined) return placeOf(text, at)
    const end = kind === undefined ? at + 1 : endOf(kind, at)
    if (end === at || (kind === 'string' && text[end] !== '"')) return placeOf(text, end)
    at = kind === 'string' ? end + 1 : end
  }
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

function kindOf(char: string): 'string' | 'word' | undefined {
  if (char === '"') return 'string'
  return '[]{},:'.includes(char) ? undefined : 'word'
}

/** What may follow a token; undefined if it must not be there. */
function expectedAfter(token: string, expected: Expected, open: string[]): Expected | undefined {
  const isEnd = token === '}' || token === ']'
  if (isEnd && open.at(-1) === token && expected.endsWith('or_end')) {
    open.pop()
    return afterValue(open)
  }
  switch (expected) {
    case 'value':
    case 'value_or_end':
      return afterStart(token, open)
    case 'key':
    case 'key_or_end':
      return token === 'string' ? 'colon' : undefined
    case 'colon':
      return token === ':' ? 'value' : undefined
    case 'comma_or_end':
      if (token !== ',') return undefined
      return open.at(-1) === '}' ? 'key' : 'value'
    case 'end':
      return undefined
  }
}

function afterStart(token: string, open: string[]): Expected | undefined {
  switch (token) {
    case '{':
      open.push('}')
      return 'key_or_end'
    case '[':
      open.push(']')
      return 'value_or_end'
    case 'string':
    case 'word':
      return afterValue(open)
    default:
      return undefined
  }
}

function afterValue(open: readonly string[]): Expected {
  return open.length === 0 ? 'end' : 'comma_or_end'
}

function placeOf(text: string, index: number): JsonFault {
  const before = text.slice(0, index)
  const lineStart = before.lastIndexOf('\n') + 1
  return { line: before.split('\n').length, column: index - lineStart + 1 }
}
