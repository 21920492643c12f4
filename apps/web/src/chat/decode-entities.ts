const named: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['apos', "'"],
  ['copy', '©'],
  ['deg', '°'],
  ['euro', '€'],
  ['ge', '≥'],
  ['gt', '>'],
  ['hellip', '…'],
  ['larr', '←'],
  ['le', '≤'],
  ['lt', '<'],
  ['mdash', '—'],
  ['middot', '·'],
  ['minus', '−'],
  ['nbsp', '\u00a0'],
  ['ndash', '–'],
  ['ne', '≠'],
  ['quot', '"'],
  ['rarr', '→'],
  ['reg', '®'],
  ['times', '×'],
  ['trade', '™'],
])

/** Text with the HTML entities that models write as their characters. Others stay as they are. */
export function decodeEntities(text: string): string {
  return text.replace(
    /&(#\d{1,7}|#x[\da-f]{1,6}|[a-z]+);/gi,
    (entity, name: string) =>
      (name.startsWith('#') ? numbered(name.slice(1)) : named.get(name)) ?? entity,
  )
}

/** The character of a number as entities write it: `62`, `x3E`. */
function numbered(digits: string): string {
  const code = Number(digits.replace(/^x/i, '0x'))
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd'
}
