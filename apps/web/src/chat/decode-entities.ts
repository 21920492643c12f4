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
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+));/gi,
    (entity, decimal, hex, name) => {
      if (name !== undefined) return named.get(name) ?? entity
      const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd'
    },
  )
}
