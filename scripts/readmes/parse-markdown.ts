/** A fenced block of a page. */
export type CodeBlock = { readonly language: string; readonly line: number; readonly code: string }

/** The fenced blocks of a Markdown text, with the line on which each begins. */
export function codeBlocks(markdown: string): readonly CodeBlock[] {
  return [...markdown.matchAll(/^```(\w*)[^\n]*\n([\s\S]*?)^```$/gm)].map(
    ({ 1: language = '', 2: code = '', index }) => ({
      language,
      code,
      line: markdown.slice(0, index).split('\n').length,
    }),
  )
}

/** The scripts that a text mentions: `npm test`, `npm run demo`. */
export function npmScripts(markdown: string): readonly string[] {
  const names = [...markdown.matchAll(/\bnpm (?:run ([\w:-]+)|(test|start)\b)/g)].map(
    ({ 1: run, 2: short }) => run ?? short ?? '',
  )
  return [...new Set(names)]
}

/** A link to a file, or within its own page if `target` is empty, and the section that it names, if any. */
export type RelativeLink = { readonly target: string; readonly anchor: string | undefined }

/** The relative links of a text. */
export function relativeLinks(markdown: string): readonly RelativeLink[] {
  const links = markdown.matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)/g)
  return [...links].map(({ 1: target = '', 2: anchor }) => ({ target, anchor }))
}

/** The anchors that GitHub gives the headings of a text. */
export function anchors(markdown: string): readonly string[] {
  const prose = markdown.replaceAll(/^```[\s\S]*?^```$/gm, '')
  return [...prose.matchAll(/^#+ (.+)$/gm)].map(({ 1: title = '' }) =>
    title
      .toLowerCase()
      .replaceAll(/\]\([^)]*\)|[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}
