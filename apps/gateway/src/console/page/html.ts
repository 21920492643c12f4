/** Markup that is safe to send: only `html` makes it. */
export type Html = { readonly markup: string }

type Part = Html | string | number | bigint | null | undefined | false | readonly Part[]

/** A template of markup. Every value is escaped, unless it is markup itself. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { markup: texts.reduce((markup, text, at) => markup + markupOf(parts[at - 1]) + text) }
}

function markupOf(part: Part): string {
  if (part === null || part === undefined || part === false) return ''
  if (isList(part)) return part.map(markupOf).join('')
  if (typeof part === 'object') return part.markup
  return String(part).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

function isList(part: Part): part is readonly Part[] {
  return Array.isArray(part)
}
