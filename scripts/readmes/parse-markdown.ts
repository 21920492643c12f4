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

/** The relative links of a text, without their anchors. */
export function relativeLinks(markdown: string): readonly string[] {
  return [...markdown.matchAll(/\]\((?!\w+:|#)([^)#\s]+)/g)].map(({ 1: target = '' }) => target)
}
